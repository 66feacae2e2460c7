import { AppError } from '../base/errors.ts'
import { statuses } from '../domain/grade.ts'

/**
 * The filter line of every list of rollouts: terms joined by white space, all of which must hold.
 *
 * - `status:passed` or `status:passed,timed_out`, `status:pending` while the grade is awaited; a leading `-` negates (`-status:passed`).
 * - `reward<1`, `reward>=0.5`, `step=17`, `tokens>100`, `advantage<0`, `audit<1`, `ms>500`: a comparison holds of numbers only, never of a null.
 * - `reward:null`, `audit:null`, `advantage:null`: not known.
 * - `task:x`, `group:3`, `policy:final`, `reason:x`, `phase:train|eval`, `body:<hash prefix>`: equality (or prefix, for hashes).
 * - `fails:case-17`: the named test of the suite did not pass.
 * - `is:false_acceptance`, `is:false_rejection`, `is:silent` (a group without spread), `is:truncated`.
 * - anything else, or `"quoted text"`: full-text search in body and output. Inside quotes, `\"` is a quote and `\\` a backslash.
 *
 * What is not known matches neither a term nor its negation; only `field:null` asks for it.
 */
export const numberFields = [
  'reward',
  'step',
  'group',
  'index',
  'tokens',
  'advantage',
  'audit',
  'ms',
  'passed',
] as const
export type NumberField = (typeof numberFields)[number]
export const textFields = ['task', 'policy', 'reason', 'phase', 'body', 'cache', 'fails'] as const
export type TextField = (typeof textFields)[number]
export const flags = ['false_acceptance', 'false_rejection', 'silent', 'truncated', 'unaudited'] as const
export type Flag = (typeof flags)[number]
/** What a rollout's status can be: a grade's, or that there is none yet. */
export const rolloutStatuses = [...statuses, 'pending'] as const
export type RolloutStatus = (typeof rolloutStatuses)[number]
export type Comparison = '<' | '<=' | '=' | '>=' | '>' | '!='

export type Term =
  | { kind: 'status'; any: RolloutStatus[]; negated: boolean }
  | { kind: 'number'; field: NumberField; op: Comparison; value: number; negated: boolean }
  | { kind: 'null'; field: NumberField; negated: boolean }
  | { kind: 'text'; field: TextField; any: string[]; negated: boolean }
  | { kind: 'flag'; flag: Flag; negated: boolean }
  | { kind: 'search'; text: string; negated: boolean }

export type Filter = Term[]

const isOneOf = <T extends string>(list: readonly T[], value: string): value is T =>
  (list as readonly string[]).includes(value)

/** @throws {AppError} `bad_filter`, naming the term at fault and what would be allowed there. */
export function parseFilter(line: string): Filter {
  return splitTerms(line).map(parseTerm)
}

/** The line that parses to `filter`: `parseFilter(formatFilter(f))` equals `f`. */
export function formatFilter(filter: Filter): string {
  return filter.map((term) => (term.negated ? '-' : '') + formatTerm(term)).join(' ')
}

/** The terms of a line and where they stand in it, well-formed or not, so that an editor can point at one. */
export function termSpans(line: string): { from: number; to: number; text: string }[] {
  return Array.from(line.matchAll(/-?(?:[a-z]+:)?"(?:[^"\\]|\\[\s\S])*"|\S+/g), (match) => ({
    from: match.index,
    to: match.index + match[0].length,
    text: match[0],
  }))
}

function splitTerms(line: string): string[] {
  const terms = termSpans(line).map((term) => term.text)
  const open = terms.find((term) => /^-?(?:[a-z]+:)?"/.test(term) && !isQuoted(term.slice(term.indexOf('"'))))
  if (open !== undefined) throw new AppError('bad_filter', `The quote in ${open} is not closed.`)
  return terms
}

function parseTerm(source: string): Term {
  const negated = source.startsWith('-') && source.length > 1
  const text = negated ? source.slice(1) : source
  const comparison = /^([a-z]+)(<=|>=|!=|<|>|=)(.*)$/.exec(text)
  if (comparison)
    return parseComparison(
      source,
      comparison[1] ?? '',
      comparison[2] as Comparison,
      comparison[3] ?? '',
      negated,
    )
  const pair = /^([a-z]+):(.*)$/s.exec(text)
  if (pair) return parsePair(source, pair[1] ?? '', unquote(pair[2] ?? ''), negated)
  return { kind: 'search', text: unquote(text), negated }
}

function parseComparison(
  source: string,
  field: string,
  op: Comparison,
  value: string,
  negated: boolean,
): Term {
  if (!isOneOf(numberFields, field)) {
    throw new AppError(
      'bad_filter',
      `${source}: ${field} is no number; numbers are ${numberFields.join(', ')}.`,
    )
  }
  const number = Number(value)
  if (value === '' || !Number.isFinite(number))
    throw new AppError('bad_filter', `${source}: ${value || 'nothing'} is no number.`)
  return { kind: 'number', field, op, value: number, negated }
}

function parsePair(source: string, field: string, value: string, negated: boolean): Term {
  const any = value.split(',').filter((part) => part !== '')
  if (any.length === 0) throw new AppError('bad_filter', `${source} names nothing after the colon.`)
  if (field === 'status') {
    const wrong = any.find((status) => !isOneOf(rolloutStatuses, status))
    if (wrong !== undefined)
      throw new AppError(
        'bad_filter',
        `${source}: ${wrong} is no status; they are ${rolloutStatuses.join(', ')}.`,
      )
    return { kind: 'status', any: any as RolloutStatus[], negated }
  }
  if (field === 'is') {
    if (!isOneOf(flags, value))
      throw new AppError('bad_filter', `${source}: ${value} is unknown; use ${flags.join(', ')}.`)
    return { kind: 'flag', flag: value, negated }
  }
  if (isOneOf(numberFields, field)) {
    if (value === 'null') return { kind: 'null', field, negated }
    return parseComparison(source, field, '=', value, negated)
  }
  if (isOneOf(textFields, field)) return { kind: 'text', field, any, negated }
  throw new AppError(
    'bad_filter',
    `${source}: there is no field ${field}; fields are status, is, ${[...numberFields, ...textFields].join(', ')}.`,
  )
}

function formatTerm(term: Term): string {
  switch (term.kind) {
    case 'status':
      return `status:${term.any.join(',')}`
    case 'number':
      return `${term.field}${term.op}${term.value}`
    case 'null':
      return `${term.field}:null`
    case 'text':
      return `${term.field}:${quote(term.any.join(','))}`
    case 'flag':
      return `is:${term.flag}`
    case 'search':
      return quote(term.text, /[\s"<>=:]|^-|^$/.test(term.text))
  }
}

const isQuoted = (text: string) => /^"(?:[^"\\]|\\[\s\S])*"$/.test(text)
const unquote = (text: string) => (isQuoted(text) ? text.slice(1, -1).replace(/\\([\s\S])/g, '$1') : text)
const quote = (text: string, needed = /[\s"]/.test(text)) =>
  needed ? `"${text.replace(/["\\]/g, '\\$&')}"` : text

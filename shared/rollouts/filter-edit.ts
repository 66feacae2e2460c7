import { type ErrorInfo, toAppError } from '../base/errors.ts'
import { flags, numberFields, parseFilter, rolloutStatuses, termSpans, textFields } from './filter.ts'

/** What is wrong in a line, and where: `[from, to)` in characters. */
export type FilterFault = ErrorInfo & { from: number; to: number }

/** The first term that does not parse; null where the whole line does. */
export function filterFault(line: string): FilterFault | null {
  for (const term of termSpans(line)) {
    try {
      parseFilter(term.text)
    } catch (thrown) {
      return { ...toAppError(thrown).info, from: term.from, to: term.to }
    }
  }
  return null
}

/** `text` would replace `[from, to)` of the line. `open` says that a value still has to follow, so no space is put after it. */
export type Suggestion = {
  label: string
  detail: string
  text: string
  from: number
  to: number
  open: boolean
}

/** Values that occur in the list at hand, for the fields that are not closed sets. */
export type KnownValues = Partial<Record<(typeof textFields)[number], string[]>>

const fieldDetails: Record<string, string> = {
  status: 'outcome of the grade',
  is: 'a property of the rollout',
  reward: 'reward before shaping, 0 to 1',
  step: 'training step',
  group: 'group in the step',
  index: 'place in the group, or draw',
  tokens: 'length of the completion',
  advantage: 'as the trainer used it',
  audit: 'share of the audit passed, 0 to 1',
  ms: 'build and test time',
  passed: 'tests passed',
  task: 'task id',
  policy: 'of an evaluation draw',
  reason: 'code of a refusal or silence',
  phase: 'train or eval',
  body: 'prefix of the body’s sha256',
  cache: 'how the grade was had',
  fails: 'a test that did not pass',
}
const flagDetails: Record<(typeof flags)[number], string> = {
  false_acceptance: 'accepted in training, rejected by the audit',
  false_rejection: 'rejected in training, accepted by the audit',
  silent: 'its group had no spread',
  truncated: 'cut at the token limit',
  unaudited: 'not audited yet',
}
const closedValues: Record<string, readonly string[]> = {
  phase: ['train', 'eval'],
  cache: ['fresh', 'warm', 'cold', 'replayed'],
}

/** What could stand at the caret: a field, or a value of the field before it. Best first, at most `limit`. */
export function suggest(line: string, caret: number, known: KnownValues = {}, limit = 12): Suggestion[] {
  const term = termSpans(line).find((span) => span.from <= caret && caret <= span.to)
  const from = term?.from ?? caret
  const to = term?.to ?? caret
  const typed = line.slice(from, caret)
  const sign = typed.startsWith('-') ? '-' : ''
  const pair = /^-?([a-z]+):(.*)$/.exec(typed)
  const all = pair
    ? valuesOf(pair[1] ?? '', pair[2] ?? '', known).map(({ value, detail, begun }) => ({
        label: value,
        detail,
        text: `${sign}${pair[1]}:${begun}${/\s/.test(value) ? `"${value}"` : value}`,
        from,
        to,
        open: false,
      }))
    : fieldsLike(typed.slice(sign.length)).map((field) => ({ ...field, text: sign + field.text, from, to }))
  return all.filter((suggestion) => suggestion.text !== line.slice(from, to)).slice(0, limit)
}

function fieldsLike(typed: string): { label: string; detail: string; text: string; open: boolean }[] {
  const fields = ['status', 'is', ...numberFields, ...textFields].map((field) => {
    const label = isNumberField(field) ? `${field}<` : `${field}:`
    return { label, detail: fieldDetails[field] ?? '', text: label, open: true }
  })
  const whole = typed === '' ? [] : flags.map((flag) => ({ flag, label: `is:${flag}` }))
  const shortcuts = whole
    .filter(({ flag }) => flag.includes(typed))
    .map(({ flag, label }) => ({ label, detail: flagDetails[flag], text: label, open: false }))
  return [...fields.filter((field) => field.label.startsWith(typed)), ...shortcuts]
}

const isNumberField = (field: string) => (numberFields as readonly string[]).includes(field)

/** `begun` is the finished part of a list of values (`passed,` of `passed,tim`), which stays. */
function valuesOf(
  field: string,
  typed: string,
  known: KnownValues,
): { value: string; detail: string; begun: string }[] {
  const comma = typed.lastIndexOf(',') + 1
  const begun = field === 'is' ? '' : typed.slice(0, comma)
  const start = (field === 'is' ? typed : typed.slice(comma)).replace(/^"/, '')
  const taken = new Set(begun.split(','))
  return candidates(field, known)
    .filter(({ value }) => value.includes(start) && !taken.has(value))
    .sort((a, b) => Number(b.value.startsWith(start)) - Number(a.value.startsWith(start)))
    .map((candidate) => ({ ...candidate, begun }))
}

function candidates(field: string, known: KnownValues): { value: string; detail: string }[] {
  if (field === 'status') return rolloutStatuses.map((value) => ({ value, detail: '' }))
  if (field === 'is') return flags.map((value) => ({ value, detail: flagDetails[value] }))
  if (isNumberField(field)) return [{ value: 'null', detail: 'not known' }]
  const values = closedValues[field] ?? known[field as keyof KnownValues] ?? []
  return values.map((value) => ({ value, detail: '' }))
}

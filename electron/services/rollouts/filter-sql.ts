import type { SQLInputValue } from 'node:sqlite'
import { AppError } from '#shared/base/errors.ts'
import {
  type Filter,
  type NumberField,
  parseFilter,
  type Term,
  type TextField,
} from '#shared/rollouts/filter.ts'
import type { Database } from '../store/index/database.ts'

/** A condition on the rows of `rollouts`, with its values apart: nothing a person typed becomes SQL. */
export type Condition = { sql: string; values: SQLInputValue[] }
/** One that a whole filter line makes. */
export type LineCondition = Condition & { terms: number }

/** The trigram index knows no shorter text. */
const shortestSearch = 3

const numberColumns: Record<NumberField, string> = {
  reward: 'reward',
  step: 'step',
  group: 'grp',
  index: 'idx',
  tokens: 'tokens',
  advantage: 'advantage',
  audit: 'audit_reward',
  ms: 'ms',
  passed: 'passed',
}

const textColumns: Record<Exclude<TextField, 'body' | 'fails'>, string> = {
  task: 'task',
  policy: 'policy',
  reason: 'reason',
  phase: 'phase',
  cache: 'cache',
}

/**
 * The filter line as a condition on one run's rows. What is not known matches neither a term nor its negation: `reward<1` and `-reward<1` both leave a
 * null reward out, `-is:false_acceptance` leaves out what the audit has not seen, and `-reason:x` leaves out grades without a reason. Only
 * `field:null` asks for the unknown. A status is always known (`pending` is one), so `-status:passed` has everything else.
 * @throws {AppError} `bad_filter`
 */
export function conditionOf(db: Database, run: number, line: string): LineCondition {
  const terms = parseFilter(line).map((term) => termSql(db, term))
  return {
    sql: ['run = ?', ...terms.map((term) => term.sql)].join(' AND '),
    values: [run, ...terms.flatMap((term) => term.values)],
    terms: terms.length,
  }
}

function termSql(db: Database, term: Filter[number]): Condition {
  const positive = positiveSql(db, term)
  return term.negated ? { sql: `NOT (${positive.sql})`, values: positive.values } : positive
}

function positiveSql(db: Database, term: Term): Condition {
  switch (term.kind) {
    case 'status':
      return oneOf('status', term.any)
    case 'number':
      return { sql: `${numberColumns[term.field]} ${term.op} ?`, values: [term.value] }
    case 'null':
      return { sql: `${numberColumns[term.field]} IS NULL`, values: [] }
    case 'text':
      if (term.field === 'body') return bodyPrefix(term.any)
      return term.field === 'fails' ? fails(db, term.any) : oneOf(textColumns[term.field], term.any)
    case 'flag':
      return flagSql(term.flag)
    case 'search':
      return search(term.text)
  }
}

const oneOf = (column: string, any: string[]): Condition => ({
  sql: `${column} IN (${any.map(() => '?').join(', ')})`,
  values: any,
})

/** In SQLite a null is not in an empty list, which is false and not null: what is not known would match the negation. */
const known = (column: string, list: string) =>
  `CASE WHEN ${column} IS NOT NULL THEN ${column} IN (${list}) END`

/** Hashes are hex, so every hash that begins with a prefix lies between it and itself followed by the letter behind `f`. */
function bodyPrefix(any: string[]): Condition {
  return {
    sql: known('body', `SELECT id FROM hashes WHERE ${any.map(() => '(sha >= ? AND sha < ?)').join(' OR ')}`),
    values: any.flatMap((prefix) => [prefix.toLowerCase(), `${prefix.toLowerCase()}g`]),
  }
}

/**
 * Whether any of the named tests did not pass, by its letter at its place in the grade's list of tests. Not known where the grade has no such test.
 */
function fails(db: Database, any: string[]): Condition {
  const places = db.all<{ list: number; place: number }>(
    `SELECT test_lists.id AS list, key AS place FROM test_lists, json_each(names) WHERE value IN (${any.map(() => '?').join(', ')})`,
    ...any,
  )
  const lists = [...new Set(places.map(({ list }) => list))]
  if (lists.length === 0) return { sql: 'NULL', values: [] }
  const whens = lists.map((list) => {
    const own = places.filter((one) => one.list === list)
    const failed = own.map(({ place }) => `lower(substr(outcomes, ${place + 1}, 1)) <> 'p'`)
    return `WHEN ${list} THEN ${failed.join(' OR ')}`
  })
  return { sql: `CASE test_list ${whens.join(' ')} END`, values: [] }
}

function flagSql(flag: Extract<Term, { kind: 'flag' }>['flag']): Condition {
  switch (flag) {
    case 'false_acceptance':
      return { sql: 'false_acceptance = 1', values: [] }
    case 'false_rejection':
      return { sql: 'false_rejection = 1', values: [] }
    case 'silent':
      return { sql: 'silent = 1', values: [] }
    case 'truncated':
      return { sql: 'truncated = 1', values: [] }
    case 'unaudited':
      return { sql: '(body IS NOT NULL AND audit_status IS NULL)', values: [] }
  }
}

/** Text anywhere in the body or in what it and its tests wrote, as far as the evidence is here. */
function search(text: string): Condition {
  if ([...text].length < shortestSearch)
    throw new AppError(
      'bad_filter',
      `A search needs at least ${shortestSearch} characters; "${text}" has fewer.`,
    )
  return {
    sql: known('evidence', 'SELECT rowid FROM texts WHERE texts MATCH ?'),
    values: [`"${text.replaceAll('"', '""')}"`],
  }
}

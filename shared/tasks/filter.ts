import type { TaskRow } from '../ipc/tasks.ts'

/** The numbers of a task that a filter can compare, by the names that the columns bear. */
const numbers: Record<string, (row: TaskRow) => number | null> = {
  tests: (row) => row.tests,
  tokens: (row) => row.promptTokens,
  logic: (row) => row.logicLines,
  commits: (row) => row.commits,
  build: (row) => row.buildMs,
  test: (row) => row.testMs,
  initial: (row) => shareOf(row.initial),
  later: (row) => shareOf(row.later),
}
const words: Record<string, (row: TaskRow) => string> = {
  task: (row) => row.task,
  group: (row) => row.group ?? '',
  place: (row) => row.place ?? '',
  is: (row) => row.difficulty,
}

export const shareOf = (rate: TaskRow['initial']): number | null =>
  rate === null || rate.graded === 0 ? null : rate.passed / rate.graded

export type TaskFilter = { matches: (row: TaskRow) => boolean } | { fault: string }

/**
 * One line: words that stand in a task's name or place, `group:crate`, `is:solved`, `tokens>400`, `initial<0.5`, each turned round by a `-` before
 * it. A number that is not known matches no comparison, whichever way it is turned.
 */
export function parseTaskFilter(line: string): TaskFilter {
  const terms: ((row: TaskRow) => boolean)[] = []
  for (const term of line.split(/\s+/).filter((word) => word !== '')) {
    const not = term.startsWith('-') && term.length > 1
    const parsed = termOf(not ? term.slice(1) : term)
    if (typeof parsed === 'string') return { fault: parsed }
    terms.push((row) => {
      const found = parsed(row)
      return found !== null && found !== not
    })
  }
  return { matches: (row) => terms.every((term) => term(row)) }
}

/** Null where nothing is known. */
type Term = (row: TaskRow) => boolean | null

function termOf(term: string): Term | string {
  const compared = /^([a-z]+)(<=|>=|<|>|=)(.+)$/.exec(term)
  if (compared) {
    const [, name = '', operator = '', text = ''] = compared
    const of = numbers[name]
    const bound = Number(text)
    if (!of) return `${name}: compares ${Object.keys(numbers).join(', ')}.`
    if (!Number.isFinite(bound)) return `${term}: ${text} is no number.`
    return (row) => {
      const value = of(row)
      return value === null ? null : compare(value, operator, bound)
    }
  }
  const named = /^([a-z]+):(.*)$/.exec(term)
  if (named) {
    const [, name = '', text = ''] = named
    const of = words[name]
    if (!of) return `${name}: is one of ${Object.keys(words).join(', ')}.`
    return (row) => of(row).toLowerCase().includes(text.toLowerCase())
  }
  return (row) => `${row.task} ${row.place ?? ''}`.toLowerCase().includes(term.toLowerCase())
}

function compare(value: number, operator: string, bound: number): boolean {
  if (operator === '<') return value < bound
  if (operator === '<=') return value <= bound
  if (operator === '>') return value > bound
  return operator === '>=' ? value >= bound : value === bound
}

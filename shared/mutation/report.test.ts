import { expect, it } from 'vitest'
import type { Status } from '../domain/grade.ts'
import { fateOf, type MutantRow, reportOf, withMarks } from './report.ts'

const row = (
  id: string,
  training: Status,
  audit: Status | null,
  equivalent: string | null = null,
): MutantRow => ({
  task: 't',
  id,
  referenceSha256: '0',
  operator: 'operator',
  line: 1,
  before: '<=',
  after: '<',
  training,
  audit,
  fate: fateOf(training, audit),
  equivalent,
  body: '',
})

it('scores only what is known and not marked, and lists would-be false acceptances first', () => {
  const rows = [
    row('a', 'test_failed', 'test_failed'),
    row('b', 'timed_out', null),
    row('c', 'passed', 'passed'),
    row('d', 'passed', 'test_failed'),
    row('e', 'passed', 'passed', 'sorting twice changes nothing'),
    row('f', 'unresolved', 'test_failed'),
    row('g', 'passed', 'unreachable'),
    row('h', 'test_failed', 'passed'),
  ]
  const report = reportOf({ name: 's', version: '1', sha256: '0' }, null, rows, new Map([['t', 9]]), {
    t: '',
  })
  expect(report.total).toEqual({
    possible: 9,
    graded: 8,
    killed: 3,
    falseAcceptances: 1,
    unseen: 1,
    equivalent: 1,
    unknown: 2,
    score: 3 / 5,
  })
  expect(report.tasks).toEqual([{ task: 't', ...report.total }])
  expect(report.survivors.map(({ id }) => id)).toEqual(['d', 'c', 'e', 'g'])

  expect(withMarks(report, ({ equivalent }) => equivalent)).toEqual(report)
  const marked = withMarks(report, ({ id }) => (id === 'c' || id === 'd' ? 'looked at' : null))
  expect(marked.total).toEqual({
    ...report.total,
    falseAcceptances: 0,
    unseen: 1,
    equivalent: 2,
    score: 3 / 4,
  })
})

import { expect, it } from 'vitest'
import { neighbourOf, nextOpen } from '#shared/audit/triage.ts'
import type { AuditView, TriageList, TriageRow, Verdict } from '#shared/ipc/contract.ts'
import { countVerdicts, exportVerdicts, reviewRows } from './review.ts'

const row = (bodySha256: string, group: string, verdict: Verdict | null, draws = 1): TriageRow => ({
  key: bodySha256,
  group,
  task: 't',
  bodySha256,
  firstRollout: 'r-20261129-7k2m4q/1/0/0',
  draws,
  status: 'passed',
  passed: 57,
  tests: 57,
  audit: { status: 'test_failed', passed: 127, total: 192 },
  verdict,
  note: '',
})
const group = (id: string) => ({
  id,
  name: id.toUpperCase(),
  about: '',
  draws: 0,
  programs: 2,
  mechanism: id,
})
const list: TriageList = {
  queue: 'false_acceptances',
  filter: 'is:false_acceptance',
  groups: [group('ends'), group('ties')],
  rows: [
    row('a', 'ends', 'wrong', 3),
    row('b', 'ends', null),
    row('c', 'ties', null),
    row('d', 'ties', 'right'),
  ],
}
const audit: AuditView = {
  run: 'r-20261129-7k2m4q',
  suite: 'weak',
  audit: 'audit',
  state: 'done',
  trouble: null,
  bodies: 10,
  audited: 10,
  unresolved: 0,
  share: 0.25,
  confusion: [],
  mechanisms: [],
  scores: [],
  repairs: [],
}

it('goes to the next open program across groups and around the end', () => {
  const rows = reviewRows(list, {})
  expect([nextOpen(rows, 'a'), nextOpen(rows, 'b'), nextOpen(rows, 'd'), nextOpen(rows, null)]).toEqual([
    'b',
    'c',
    'b',
    'b',
  ])
  const all = reviewRows(list, { b: { verdict: 'wrong', note: '' }, c: { verdict: 'unclear', note: '' } })
  expect(nextOpen(all, 'a')).toBeNull()
})

it('does not call the program at hand the next one while others are open, but does when it is the last', () => {
  const rows = reviewRows(list, { c: { verdict: 'wrong', note: '' } })
  expect(nextOpen(rows, 'b')).toBe('b')
})

it('stops at the ends of the list', () => {
  const rows = reviewRows(list, {})
  expect([neighbourOf(rows, 'a', -1), neighbourOf(rows, 'd', 1), neighbourOf(rows, null, 1)]).toEqual([
    'a',
    'd',
    'a',
  ])
})

it('counts programs and draws by verdict, what was just given included', () => {
  const counts = countVerdicts(reviewRows(list, { b: { verdict: 'wrong', note: 'x' } }))
  expect(Object.fromEntries([...counts].map(([verdict, count]) => [String(verdict), count]))).toEqual({
    wrong: { programs: 2, draws: 4 },
    null: { programs: 1, draws: 1 },
    right: { programs: 1, draws: 1 },
  })
})

it('exports one line a program, each with the share that was audited', () => {
  const rows = reviewRows(list, { b: { verdict: 'cheating', note: 'reads the tests' } })
  const lines = exportVerdicts(audit, list, rows).trimEnd().split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[1] ?? '')).toEqual({
    run: 'r-20261129-7k2m4q',
    list: 'false_acceptances',
    auditedShare: 0.25,
    group: 'ENDS',
    task: 't',
    draws: 1,
    bodySha256: 'b',
    firstRollout: 'r-20261129-7k2m4q/1/0/0',
    status: 'passed',
    passed: 57,
    tests: 57,
    audit: { status: 'test_failed', passed: 127, total: 192 },
    verdict: 'cheating',
    note: 'reads the tests',
  })
})

import { expect, it } from 'vitest'
import type { AuditView, Mechanism, Verdict } from '#shared/ipc/contract.ts'
import { countVerdicts, exportVerdicts, neighbourOf, nextOpen, reviewBodies } from './review.ts'

const body = (bodySha256: string, verdict: Verdict | null, rollouts = 1): Mechanism['bodies'][number] => ({
  bodySha256,
  rollouts,
  firstRollout: 'r-20261129-7k2m4q/1/0/0',
  passed: 127,
  total: 192,
  verdict,
  note: '',
})
const mechanism = (id: string, bodies: Mechanism['bodies']): Mechanism => ({
  id,
  task: 't',
  named: false,
  like: [],
  name: id.toUpperCase(),
  description: '',
  draws: 0,
  programs: bodies.length,
  signature: { failed: 0, total: 0, families: [] },
  witness: null,
  bodies,
})
const audit: AuditView = {
  run: 'r-20261129-7k2m4q',
  suite: 'weak',
  audit: 'audit',
  state: 'done',
  bodies: 10,
  audited: 10,
  unresolved: 0,
  confusion: [],
  mechanisms: [
    mechanism('ends', [body('a', 'wrong', 3), body('b', null)]),
    mechanism('ties', [body('c', null), body('d', 'right')]),
  ],
  scores: [],
  repairs: [],
}

it('goes to the next open program across mechanisms and around the end', () => {
  const bodies = reviewBodies(audit, {})
  expect([
    nextOpen(bodies, 'a'),
    nextOpen(bodies, 'b'),
    nextOpen(bodies, 'd'),
    nextOpen(bodies, null),
  ]).toEqual(['b', 'c', 'b', 'b'])
  const all = reviewBodies(audit, { b: { verdict: 'wrong', note: '' }, c: { verdict: 'unclear', note: '' } })
  expect(nextOpen(all, 'a')).toBeNull()
})

it('does not call the program at hand the next one while others are open, but does when it is the last', () => {
  const bodies = reviewBodies(audit, { c: { verdict: 'wrong', note: '' } })
  expect(nextOpen(bodies, 'b')).toBe('b')
})

it('stops at the ends of the list', () => {
  const bodies = reviewBodies(audit, {})
  expect([neighbourOf(bodies, 'a', -1), neighbourOf(bodies, 'd', 1), neighbourOf(bodies, null, 1)]).toEqual([
    'a',
    'd',
    'a',
  ])
})

it('counts programs and draws by verdict, what was just given included', () => {
  const counts = countVerdicts(reviewBodies(audit, { b: { verdict: 'wrong', note: 'x' } }))
  expect(Object.fromEntries([...counts].map(([verdict, count]) => [String(verdict), count]))).toEqual({
    wrong: { programs: 2, draws: 4 },
    null: { programs: 1, draws: 1 },
    right: { programs: 1, draws: 1 },
  })
})

it('exports one line a program', () => {
  const lines = exportVerdicts(audit, { b: { verdict: 'cheating', note: 'reads the tests' } })
    .trimEnd()
    .split('\n')
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[1] ?? '')).toEqual({
    run: 'r-20261129-7k2m4q',
    mechanism: 'ENDS',
    draws: 1,
    bodySha256: 'b',
    firstRollout: 'r-20261129-7k2m4q/1/0/0',
    passed: 127,
    total: 192,
    verdict: 'cheating',
    note: 'reads the tests',
  })
})

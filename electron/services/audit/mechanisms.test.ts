import { expect, test } from 'vitest'
import type { Status } from '#shared/domain/grade.ts'
import { wilsonInterval } from '#shared/stats/intervals.ts'
import type { BodyRow } from '../store/store.ts'
import { confusionOf } from './confusion.ts'
import { type FalseAcceptance, mechanismsOf } from './mechanisms.ts'

const cases = new Map(
  [
    ['e-1', 'empty', '[[]]'],
    ['o-1', 'ordinary', '[[[1,5],[2,3]]]'],
    ['o-2', 'ordinary', '[[[1,5],[2,3],[4,9]]]'],
    ['b-1', 'boundary', '[[[1,5],[5,9],[7,8]]]'],
    ['b-2', 'boundary', '[[[11,15],[15,19]]]'],
  ].map(([id = '', family = '', input = '']) => [id, { id, family, input, expected: '1' }] as const),
)

let made = 0
function body(changes: Partial<BodyRow> = {}): BodyRow {
  made += 1
  return {
    task: 'required-capacity',
    bodySha256: String(made).padStart(64, '0'),
    rollouts: 2,
    accepted: 2,
    firstRollout: `r-20261129-aaaaaa/0/0/${made}`,
    status: 'passed',
    passed: null,
    tests: null,
    evidenceSha256: null,
    audit: null,
    verdict: null,
    ...changes,
  }
}

function wrong(failed: string[], draws: number): FalseAcceptance {
  const { task, bodySha256, firstRollout } = body()
  const names = [...cases.keys()]
  return {
    task,
    bodySha256,
    firstRollout,
    draws,
    status: 'test_failed',
    reason: null,
    total: 5,
    names,
    failed,
  }
}

test('false acceptances cluster by the exact cases they fail, named by family, with the smallest witness', () => {
  const found = [
    wrong(['b-1'], 1),
    wrong(['b-1', 'b-2'], 3),
    wrong(['b-2', 'b-1'], 4),
    wrong(['b-2'], 1),
    wrong(['o-1', 'o-2', 'b-2'], 1),
  ]
  const mechanisms = mechanismsOf(found, cases, (text) => text.split('\n').slice(1).join('+'))
  expect(
    mechanisms.map(({ id, name, description, draws, programs }) => [id, name, description, draws, programs]),
  ).toEqual([
    ['b-1+b-2', 'every boundary case', 'Fails 2 of 2 boundary cases, nothing else.', 7, 2],
    ['b-1', '1 of 2 boundary cases', 'Fails 1 of 2 boundary cases, nothing else.', 1, 1],
    ['b-2', '1 of 2 boundary cases · 2', 'Fails 1 of 2 boundary cases, nothing else.', 1, 1],
    [
      'b-2+o-1+o-2',
      'every ordinary case, 1 of 2 boundary cases',
      'Fails 2 of 2 ordinary cases and 1 of 2 boundary cases, nothing else.',
      1,
      1,
    ],
  ])
  expect(mechanisms[0]?.witness).toEqual({
    case: 'b-2',
    family: 'boundary',
    input: '[[[11,15],[15,19]]]',
    expected: '1',
    observed: null,
    shrunk: false,
  })
  expect(mechanisms[0]?.signature).toEqual({
    failed: 2,
    total: 5,
    families: [
      { family: 'empty', failed: 0, total: 1 },
      { family: 'ordinary', failed: 0, total: 2 },
      { family: 'boundary', failed: 2, total: 2 },
    ],
  })
})

const audit = (status: Status) => ({ status, passed: null, total: null })
const suite = { name: 'weak', sha256: '1'.repeat(64) }
const rated = (count: number, of: number, share: number | null, bounds: object | null) =>
  expect.objectContaining({ count, of, share, bounds })

test('what either verifier has not said is in no cell but unknown, and gives bounds instead of a guess', () => {
  const bodies = [
    body({ audit: audit('passed') }),
    body({ audit: audit('test_failed'), rollouts: 5, accepted: 5 }),
    body({ audit: audit('unresolved') }),
    body({ audit: null }),
    body({ audit: audit('passed'), accepted: 0, status: 'test_failed' }),
    body({ audit: audit('build_failed'), accepted: 0, status: 'build_failed' }),
    body({ audit: audit('test_failed'), accepted: 0, status: 'unreachable' }),
    body({ audit: audit('test_failed'), accepted: 0, status: 'pending' }),
  ]
  const cells = { acceptedRight: 2, acceptedWrong: 5, rejectedRight: 2, rejectedWrong: 2, unknown: 8 }
  expect(confusionOf({ suite, bodies, share: 1, regrades: [] })).toEqual([
    {
      suite,
      origin: 'training',
      rows: [
        {
          by: 'draws',
          ...cells,
          // The worst: what the audit cannot say is wrong, and what the suite cannot say is wrong and accepted.
          precision: rated(2, 7, 2 / 7, { low: 2 / 13, high: 4 / 9 }),
          // One accepted program was not audited: the audited are no fair sample of the wrong.
          falseAcceptRate: rated(5, 7, null, { low: 5 / 11, high: 13 / 15 }),
        },
        {
          by: 'programs',
          ...{ acceptedRight: 1, acceptedWrong: 1, rejectedRight: 1, rejectedWrong: 1, unknown: 4 },
          precision: rated(1, 2, 1 / 2, { low: 1 / 5, high: 2 / 3 }),
          falseAcceptRate: rated(1, 2, null, { low: 1 / 4, high: 5 / 6 }),
        },
      ],
    },
  ])
})

test('another suite stands beside the run’s own on the bodies that it graded', () => {
  const bodies = [
    body({ audit: audit('passed') }),
    body({ audit: audit('test_failed') }),
    body({ audit: audit('passed') }),
  ]
  const [right, falsely] = bodies
  const again = { suite: { name: 'weak-r2', sha256: '2'.repeat(64) }, origin: 'repaired' as const }
  const regrades = [
    { ...again, task: 'required-capacity', bodySha256: right?.bodySha256 ?? '', status: 'passed' as const },
    {
      ...again,
      task: 'required-capacity',
      bodySha256: falsely?.bodySha256 ?? '',
      status: 'test_failed' as const,
    },
  ]
  const [, second] = confusionOf({ suite, bodies, share: 1, regrades })
  expect(second).toMatchObject({
    ...again,
    rows: [
      { by: 'draws', acceptedRight: 2, acceptedWrong: 0, rejectedWrong: 2, unknown: 0 },
      { by: 'programs', acceptedRight: 1, acceptedWrong: 0, rejectedWrong: 1, unknown: 0 },
    ],
  })
})

test('of a sample only the sampled count, and draws that came in programs are worth fewer than they are', () => {
  const [inside, outside] = ['0'.repeat(64), 'f'.repeat(64)]
  const bodies = [
    body({ bodySha256: inside, audit: audit('passed'), rollouts: 90, accepted: 90 }),
    body({ bodySha256: `${'0'.repeat(63)}1`, audit: audit('test_failed'), rollouts: 10, accepted: 10 }),
    // Audited because it was drawn in an evaluation, which says nothing of the rest.
    body({ bodySha256: outside, audit: audit('test_failed'), rollouts: 50, accepted: 50 }),
  ]
  const [table] = confusionOf({ suite, bodies, share: 0.5, regrades: [] })
  expect(table?.rows[0]).toMatchObject({ acceptedRight: 90, acceptedWrong: 10, unknown: 50 })
  const { share, bounds, interval } = table?.rows[0]?.precision ?? {}
  expect([share, bounds]).toEqual([0.9, null])
  // 100 draws of two programs, 90 and 10: as good as 100² ÷ (90² + 10²) = 1.22 independent ones.
  const worth = wilsonInterval(0.9 * (1e4 / 8200), 1e4 / 8200)
  expect([interval?.low, interval?.high]).toEqual([
    expect.closeTo(worth?.low ?? 0, 12),
    expect.closeTo(worth?.high ?? 0, 12),
  ])
})

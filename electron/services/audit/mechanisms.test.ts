import { expect, test } from 'vitest'
import { type Grade, type Status, silentGrade } from '#shared/domain/grade.ts'
import type { BodyRow } from '../store/store.ts'
import { confusionOf } from './confusion.ts'
import { mechanismsOf } from './mechanisms.ts'

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
    evidenceSha256: null,
    audit: null,
    verdict: null,
    ...changes,
  }
}

function audited(failed: string[], rollouts: number) {
  const tests = [...cases.keys()].map((name) => ({
    name,
    outcome: failed.includes(name) ? ('failed' as const) : ('passed' as const),
    ms: 1,
    expected: '1',
    observed: failed.includes(name) ? '2' : '1',
  }))
  const passed = tests.length - failed.length
  const status: Status = failed.length === 0 ? 'passed' : 'test_failed'
  const grade: Grade = {
    ...silentGrade('unresolved', ''),
    status,
    reward: passed / 5,
    reason: null,
    tests,
    passed,
    total: 5,
  }
  return { body: body({ rollouts, accepted: rollouts }), grade }
}

test('false acceptances cluster by the exact cases they fail, named by family, with the smallest witness', () => {
  const found = [
    audited(['b-1'], 1),
    audited(['b-1', 'b-2'], 3),
    audited(['b-2', 'b-1'], 4),
    audited(['b-2'], 1),
    audited(['o-1', 'o-2', 'b-2'], 1),
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
    observed: '2',
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

test('what either verifier has not said is in no cell but unknown', () => {
  const audit = (status: Status) => ({ status, passed: null, total: null })
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
  expect(confusionOf(bodies)).toEqual([
    { by: 'draws', acceptedRight: 2, acceptedWrong: 5, rejectedRight: 2, rejectedWrong: 2, unknown: 8 },
    { by: 'programs', acceptedRight: 1, acceptedWrong: 1, rejectedRight: 1, rejectedWrong: 1, unknown: 4 },
  ])
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatRoute, parseRoute, type Route } from './routes.ts'

const run = fc.option(fc.constantFrom('r-20261129-7k2m4q', 'r-20260101-aaaaaa'), { nil: null })
const filter = fc.string()
const rollout = fc.constantFrom(
  'r-20261129-7k2m4q/17/3/2',
  'r-20261129-7k2m4q/eval/final/required-capacity/9',
)
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ view: 'runs' }, { view: 'launch' }, { view: 'clusters' }),
  fc.record({
    view: fc.constantFrom('live', 'audit', 'terminal', 'stages', 'teardown'),
    run,
  }) as fc.Arbitrary<Route>,
  fc.record(
    {
      view: fc.constant('audit' as const),
      run,
      queue: fc.constantFrom('tampered' as const, 'silent_groups' as const),
      filter: fc.string({ minLength: 1 }),
    },
    { requiredKeys: ['view', 'run'] },
  ),
  fc.record({
    view: fc.constant('compare' as const),
    runs: fc.subarray(['r-20261129-7k2m4q', 'r-20260101-aaaaaa']),
  }),
  fc.record({ view: fc.constant('rollouts' as const), run, filter }),
  fc.record({ view: fc.constant('rollout' as const), rollout, filter }),
  fc.record({ view: fc.constant('rollouts' as const), run, filter, sort: fc.constant('reward' as const) }),
)

test('every route is read back from its own hash', () => {
  fc.assert(
    fc.property(routes, (route) => {
      expect(parseRoute(formatRoute(route))).toEqual(route)
    }),
  )
})

test('hashes written by hand are understood, and nonsense is the list of runs', () => {
  const read = (hash: string) => parseRoute(hash)
  expect([
    read(''),
    read('#/nowhere/at?all'),
    read('#/rollout/'),
    read('#/live/%E0%A4%A'),
    read('#/rollouts/r-20261129-7k2m4q?filter=status:passed reward<1'),
    read('#/rollout/r-20261129-7k2m4q%2F17%2F3%2F2'),
  ]).toEqual([
    { view: 'runs' },
    { view: 'runs' },
    { view: 'runs' },
    { view: 'live', run: '%E0%A4%A' },
    { view: 'rollouts', run: 'r-20261129-7k2m4q', filter: 'status:passed reward<1' },
    { view: 'rollout', rollout: 'r-20261129-7k2m4q/17/3/2', filter: '' },
  ])
})

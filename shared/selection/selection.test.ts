import { expect, test } from 'vitest'
import { SelectionSpec } from '../domain/selection.ts'
import { type Belief, mixedChance, observe, priorFrom } from './belief.ts'
import { byDifficulty } from './difficulty.ts'
import golden from './golden.json' with { type: 'json' }
import { afterGroup, beginSelection, type SelectionState, selectTasks } from './selection.ts'

const spec = SelectionSpec.parse({ by: 'mixed' })

test('the chance of a mixed group is the published one', () => {
  const of = (phi: number | null) => mixedChance(priorFrom(phi, spec), 8).toFixed(3)
  expect([of(0.5), of(1 / 16), of(null)]).toEqual(['0.891', '0.262', '0.778'])
})

test('the chance of a mixed group is the sum of the Beta-binomial between none and all', () => {
  const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k)
  const rising = (x: number, n: number) =>
    Array.from({ length: n }, (_, i) => x + i).reduce((product, factor) => product * factor, 1)
  for (const { alpha, beta } of [
    { alpha: 0.3, beta: 5.2 },
    { alpha: 2, beta: 7 },
    { alpha: 11, beta: 0.7 },
  ]) {
    const exactly = (k: number) =>
      (choose(6, k) * rising(alpha, k) * rising(beta, 6 - k)) / rising(alpha + beta, 6)
    const between = [1, 2, 3, 4, 5].reduce((sum, k) => sum + exactly(k), 0)
    expect(mixedChance({ alpha, beta }, 6)).toBeCloseTo(between, 12)
  }
})

test('silence never updates, and old evidence fades instead of ruling for ever', () => {
  const before = priorFrom(0.25, spec)
  expect(observe(before, [null, null, null, null], 16)).toBe(before)
  expect(observe(before, [null, true, null, false], 16)).toEqual({
    alpha: before.alpha + 1,
    beta: before.beta + 1,
  })
  const after = (passed: boolean, from: Belief, groups: number) =>
    Array.from({ length: groups }).reduce<Belief>((b) => observe(b, Array(4).fill(passed), 16), from)
  const hopeless = after(false, priorFrom(0, spec), 100)
  expect(hopeless.alpha + hopeless.beta).toBeLessThanOrEqual(20)
  // A task that a hundred groups found hopeless is believed to be solved after a dozen that pass.
  const learnt = after(true, hopeless, 12)
  expect(learnt.alpha / (learnt.alpha + learnt.beta)).toBeGreaterThan(0.9)
})

test('this code and the Python trainer are held to the same numbers', () => {
  for (const { phi, groupSize, alpha, beta, mixed } of golden.utilities) {
    const belief = priorFrom(phi, spec)
    expect([belief.alpha, belief.beta, mixedChance(belief, groupSize)]).toEqual([alpha, beta, mixed])
  }
  for (const { before, passed, remembered, after } of golden.updates)
    expect(observe(before, passed, remembered)).toEqual(after)
  for (const { by, explore, progress, count, groupSize, tasks } of golden.picks) {
    const chosen = SelectionSpec.parse({ by, explore })
    const anchors = new Map<string, number | null>(Object.entries(golden.anchors))
    const state = golden.groups.reduce<SelectionState>(
      (held, [task, passed]) => afterGroup(chosen, held, task as string, passed as (boolean | null)[]),
      beginSelection(chosen, [...anchors.keys()], anchors),
    )
    let used = 0
    const random = () => golden.numbers[used++ % golden.numbers.length] ?? 0
    expect(selectTasks(chosen, state, { count, groupSize, progress, random })).toEqual(tasks)
  }
})

/** How often each task is chosen over many steps. */
function shares(by: SelectionSpec['by'], progress: number): Record<string, number> {
  const chosen = SelectionSpec.parse({ by })
  const anchors = new Map<string, number | null>([
    ['solved', 1],
    ['half', 0.5],
    ['hopeless', 0],
    ['unknown', null],
  ])
  const state = beginSelection(chosen, [...anchors.keys()], anchors)
  let seed = 1
  const random = () => {
    seed = (seed * 48271) % 2147483647
    return seed / 2147483647
  }
  const count = 20_000
  const tasks = selectTasks(chosen, state, { count, groupSize: 8, progress, random })
  return Object.fromEntries(
    [...anchors.keys()].map((task) => [task, tasks.filter((one) => one === task).length / count]),
  )
}

test('what is solved and what is hopeless is seldom chosen but never forgotten', () => {
  const mixed = shares('mixed', 0)
  // Three tenths of the slots go evenly over four tasks.
  for (const share of [mixed.solved, mixed.hopeless]) expect(share).toBeCloseTo(0.075, 2)
  expect((mixed.half ?? 0) / (mixed.unknown ?? 1)).toBeCloseTo(0.891 / 0.778, 1)
  expect(shares('uniform', 0)).toEqual({ solved: 0.25, half: 0.25, hopeless: 0.25, unknown: 0.25 })
})

test('a curriculum begins with the easiest and has all of them in the end', () => {
  expect([shares('curriculum', 0), shares('curriculum', 0.29), shares('curriculum', 0.6)]).toEqual([
    { solved: 1, half: 0, hopeless: 0, unknown: 0 },
    { solved: 0.5, half: 0.5, hopeless: 0, unknown: 0 },
    { solved: 0.25, half: 0.25, hopeless: 0.25, unknown: 0.25 },
  ])
})

test('solved tasks leave, hopeless ones stay only where their label is known to be right, few draws say nothing', () => {
  const of = (task: string, passed: number, graded: number, confirmed = true) => ({
    task,
    passed,
    graded,
    confirmed,
  })
  expect(
    byDifficulty([
      of('a', 10, 10),
      of('b', 3, 10),
      of('c', 0, 10),
      of('d', 0, 10, false),
      of('e', 2, 2),
      of('f', 0, 0),
    ]),
  ).toEqual({ solved: ['a'], useful: ['b'], later: ['c'], doubtful: ['d'], unmeasured: ['e', 'f'] })
})

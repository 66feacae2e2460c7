import { expect, test } from 'vitest'
import { groupsToHoldOut } from './split.ts'

const sizes = new Map([
  ['strsim', 12],
  ['heck', 11],
  ['lexopt', 26],
  ['xmlparser', 10],
  ['shlex', 3],
])

test('whole groups are held out, about as many tasks as wanted, alike for a seed and whatever else is there', () => {
  const held = groupsToHoldOut(sizes, 0.2, 7)
  const tasks = held.reduce((sum, group) => sum + (sizes.get(group) ?? 0), 0)
  expect(Math.abs(tasks / 62 - 0.2)).toBeLessThan(0.12)
  expect(groupsToHoldOut(new Map([...sizes].reverse()), 0.2, 7)).toEqual(held)
  const seeds = new Set(Array.from({ length: 20 }, (_, seed) => groupsToHoldOut(sizes, 0.2, seed).join()))
  expect(seeds.size).toBeGreaterThan(2)
})

test('something stays on either side, also where nothing or all is asked for', () => {
  expect(groupsToHoldOut(sizes, 1, 1)).toHaveLength(4)
  expect(groupsToHoldOut(sizes, 0.01, 1)).toHaveLength(1)
  expect(groupsToHoldOut(new Map([['one', 5]]), 0.5, 1)).toEqual([])
})

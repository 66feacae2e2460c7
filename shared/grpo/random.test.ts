import { expect, test } from 'vitest'
import { Random } from './random.ts'

test('draws the sequence of xoshiro128** from the state 1, 2, 3, 4', () => {
  const random = new Random([1, 2, 3, 4])
  expect(Array.from({ length: 10 }, () => random.next())).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
  ])
})

test('goes on from a saved state exactly where it was', () => {
  const random = Random.of(7, 'train')
  random.next()
  const saved = JSON.parse(JSON.stringify(random.state))
  const ahead = Array.from({ length: 5 }, () => random.float())
  const resumed = new Random(saved)
  expect(Array.from({ length: 5 }, () => resumed.float())).toEqual(ahead)
})

test('gives every list of parts a stream of its own', () => {
  const firsts = [
    Random.of(1, 'eval', 2),
    Random.of(12, 'eval', 2),
    Random.of(1, 'eval2'),
    Random.of('1', 'eval', 2),
  ]
  expect(new Set(firsts.map((random) => random.next())).size).toBe(4)
})

test('integers stay within both bounds, categorical follows its weights, shuffle keeps the items', () => {
  const random = Random.of(3)
  const drawn = Array.from({ length: 3000 }, () => random.integer(5, 7))
  expect([Math.min(...drawn), Math.max(...drawn)]).toEqual([5, 7])
  const counts = [0, 0, 0]
  for (let i = 0; i < 10_000; i++) {
    const at = random.categorical([0.7, 0.2, 0.1])
    counts[at] = (counts[at] ?? 0) + 1
  }
  // Three standard deviations of a binomial with n = 10,000 are at most 138.
  expect(counts.map((count, at) => Math.abs(count - ([7000, 2000, 1000][at] ?? 0)) < 138)).toEqual([
    true,
    true,
    true,
  ])
  expect(random.shuffle([1, 2, 3, 4, 5]).sort()).toEqual([1, 2, 3, 4, 5])
})

test('refuses a state of zeros and an empty range, which would draw for ever', () => {
  expect(() => new Random([0, 0, 0, 0])).toThrow('all zero')
  expect(() => Random.of(1).integer(2, 1)).toThrow('no integers from 2 to 1')
})

import { expect, test } from 'vitest'
import type { Slot } from '../graders/grader.ts'
import { SlotPool } from './slot-pool.ts'

const slot = (index: number): Slot => ({
  index,
  cache: 'warm',
  grade: () => Promise.reject(new Error('not asked')),
  dispose: async () => {},
})
const pause = () => new Promise((resolve) => setImmediate(resolve))

test('slots go out in the order of asking, and one that wants all is not overtaken', async () => {
  const pool = new SlotPool([slot(0), slot(1)])
  const order: string[] = []
  const ends = new Map<string, () => void>()
  const hold = (name: string) => async (slots: Slot | Slot[]) => {
    order.push(`${name} on ${[slots].flat().map(({ index }) => index)}`)
    await new Promise<void>((end) => ends.set(name, end))
  }
  const wanted = () => true
  const all = [
    pool.withSlot('a', wanted, hold('a')),
    pool.withSlot('b', wanted, hold('b')),
    pool.withAll('everything', hold('all')),
    pool.withSlot('c', wanted, hold('c')),
  ]
  await pause()
  expect([order, pool.queued]).toEqual([['a on 0', 'b on 1'], 2])
  expect(pool.state().map(({ task }) => task)).toEqual(['a', 'b'])
  for (const name of ['a', 'b', 'all', 'c']) {
    ends.get(name)?.()
    await pause()
  }
  await Promise.all(all)
  expect([order, pool.queued]).toEqual([['a on 0', 'b on 1', 'all on 0,1', 'c on 0'], 0])
  expect(pool.state().map(({ task, ageMs }) => [task, ageMs])).toEqual([
    [null, null],
    [null, null],
  ])
})

test('who is no longer wanted costs nothing, and work that throws gives its slot back', async () => {
  const pool = new SlotPool([slot(0)])
  let wanted = true
  let release = () => {}
  const first = pool.withSlot(
    'first',
    () => true,
    () =>
      new Promise<void>((end) => {
        release = end
      }),
  )
  const second = pool.withSlot(
    'second',
    () => wanted,
    async () => 'ran',
  )
  const third = pool.withSlot(
    'third',
    () => true,
    () => Promise.reject(new Error('broke')),
  )
  const fourth = pool.withSlot(
    'fourth',
    () => true,
    async () => 'ran',
  )
  await pause()
  wanted = false
  release()
  await first
  await expect(third).rejects.toThrow('broke')
  expect([await second, await fourth]).toEqual([null, 'ran'])
})

import { expect, test } from 'vitest'
import { PaintQueue } from './paint-queue.ts'

test('a frame paints until its time is up, the next goes on, and who asks twice is painted once', () => {
  const frames: (() => void)[] = []
  const waiting: number[] = []
  const painted: string[] = []
  let now = 0
  const queue = new PaintQueue({
    request: (run) => frames.push(run),
    now: () => now,
    onChange: (count) => waiting.push(count),
  })
  const paint = (name: string) => () => {
    painted.push(name)
    now += 7
  }
  const [a, b, c, d] = [paint('a'), paint('b'), paint('c'), paint('d')]
  for (const one of [a, b, a, c]) queue.add(one)
  queue.add(d)()
  const perFrame: string[][] = []
  while (frames.length > 0) {
    frames.shift()?.()
    perFrame.push(painted.splice(0))
  }
  expect(perFrame).toEqual([['a', 'b'], ['c']])
  expect(waiting.at(-1)).toBe(0)
})

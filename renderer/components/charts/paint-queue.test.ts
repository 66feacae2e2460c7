import { expect, test } from 'vitest'
import { PaintQueue } from './paint-queue.ts'

/** Frames and tasks that come when they are called, and what was painted in each. */
function painter() {
  const [frames, tasks]: [(() => void)[], (() => void)[]] = [[], []]
  const waiting: number[] = []
  const painted: string[] = []
  let now = 0
  const queue = new PaintQueue({
    request: (run) => frames.push(run),
    soon: (run) => tasks.push(run),
    now: () => now,
    onChange: (count) => waiting.push(count),
  })
  const paint = (name: string) => () => {
    painted.push(name)
    now += 7
    if (name === 'broken') throw new Error(name)
  }
  const call = (run: (() => void) | undefined) => {
    try {
      run?.()
    } catch {
      painted.push('thrown')
    }
    return painted.splice(0)
  }
  /** What each task of each frame painted. */
  const perFrame = () => {
    const all: string[][][] = []
    while (frames.length > 0) {
      const frame = [call(frames.shift())]
      while (tasks.length > 0) frame.push(call(tasks.shift()))
      all.push(frame)
    }
    return all
  }
  return { queue, paint, perFrame, waiting }
}

test('a chart that cannot be painted does not keep the others from it', () => {
  const { queue, paint, perFrame } = painter()
  for (const name of ['a', 'broken', 'c']) queue.add(paint(name))
  expect(perFrame()).toEqual([[['a'], ['broken', 'thrown']], [['c']]])
  queue.add(paint('d'))
  expect(perFrame()).toEqual([[['d']]])
})

test('a frame paints until its time is up, the next goes on, and who asks twice is painted once', () => {
  const { queue, paint, perFrame, waiting } = painter()
  const [a, b, c, d] = [paint('a'), paint('b'), paint('c'), paint('d')]
  for (const one of [a, b, a, c]) queue.add(one)
  queue.add(d)()
  expect(perFrame()).toEqual([[['a'], ['b']], [['c']]])
  expect(waiting.at(-1)).toBe(0)
})

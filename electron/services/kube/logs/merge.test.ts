import { expect, test } from 'vitest'
import type { LogLine } from './line.ts'
import { Merge } from './merge.ts'

const line = (container: string, second: number): LogLine => ({
  ...{ pod: 'p', container, restart: 0, text: `${container}${second}` },
  at: `2026-11-29T12:00:${String(second).padStart(2, '0')}Z`,
})

test('lines that are held together come by time, a log’s own order kept; what comes later comes after', async () => {
  const taken: string[] = []
  const merge = new Merge((lines) => void taken.push(lines.map(({ text }) => text).join(' ')))
  void merge.add('a', [line('a', 1), line('a', 5), line('a', 4)])
  void merge.add('b', [line('b', 2), line('b', 3)])
  void merge.add('a', [line('a', 9)])
  await merge.flush()
  void merge.add('b', [line('b', 4)])
  await merge.flush()
  expect(taken).toEqual(['a1 b2 b3 a5 a4 a9', 'b4'])
})

test('a reader that is slow is waited for', async () => {
  let free = () => {}
  const held = new Promise<void>((resolve) => {
    free = resolve
  })
  const merge = new Merge(() => held)
  const many = Array.from({ length: 20_001 }, () => line('a', 1))
  let went = false
  const waiting = Promise.resolve(merge.add('a', many)).then(() => {
    went = true
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  const before = went
  free()
  await waiting
  expect([before, went]).toEqual([false, true])
})

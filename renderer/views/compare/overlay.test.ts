import { expect, test } from 'vitest'
import type { CompareSeries } from '#shared/ipc/contract.ts'
import { placed } from './overlay.ts'

const series: CompareSeries = {
  run: 'r-20261129-aaaaaa',
  name: 'a',
  spec: null,
  step: [1, 2, 3],
  rollouts: [8, 16, 20],
  atMs: [1000, 2500, null],
  value: [0.1, null, 0.3],
}

test('a point stands where its axis says; a gap stays a gap, and a step without an end has no time', () => {
  expect([placed(series, 'step'), placed(series, 'rollouts'), placed(series, 'time')]).toEqual([
    [
      { x: 1, y: 0.1 },
      { x: 2, y: null },
      { x: 3, y: 0.3 },
    ],
    [
      { x: 8, y: 0.1 },
      { x: 16, y: null },
      { x: 20, y: 0.3 },
    ],
    [
      { x: 1000, y: 0.1 },
      { x: 2500, y: null },
    ],
  ])
})

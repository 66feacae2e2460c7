import { expect, test } from 'vitest'
import { withGaps } from './heard-gaps.ts'

const sample = (second: number) => ({ at: new Date(second * 1000).toISOString(), devices: [] })
const shown = (seconds: number[]) =>
  withGaps(seconds.map(sample)).map((one) => (one === null ? 'gap' : Date.parse(one.at) / 1000))

test('where nothing was heard for long there is a gap; a pause of the usual kind is none', () => {
  expect(shown([0, 5, 10, 70, 75, 80, 92])).toEqual([0, 5, 10, 'gap', 70, 75, 80, 92])
  // A trainer that tells once a slow step is not lost between two.
  expect(shown([0, 120, 240, 400, 520])).toEqual([0, 120, 240, 400, 520])
  expect([shown([]), shown([3])]).toEqual([[], [3]])
})

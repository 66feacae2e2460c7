import { expect, test } from 'vitest'
import { drawnSamples, withGaps } from './heard-gaps.ts'

const sample = (second: number) => ({ at: new Date(second * 1000).toISOString(), devices: [] })
const shown = (seconds: number[]) =>
  withGaps(seconds.map(sample)).map((one) => (one === null ? 'gap' : Date.parse(one.at) / 1000))

test('where nothing was heard for long there is a gap; a pause of the usual kind is none', () => {
  expect(shown([0, 5, 10, 70, 75, 80, 92])).toEqual([0, 5, 10, 'gap', 70, 75, 80, 92])
  // A trainer that tells once a slow step is not lost between two.
  expect(shown([0, 120, 240, 400, 520])).toEqual([0, 120, 240, 400, 520])
  expect([shown([]), shown([3])]).toEqual([[], [3]])
})

test('a box’s GPUs are drawn, not the trainer’s own process between their samples', () => {
  const told = (second: number, name: string) => ({
    ...sample(second),
    devices: [
      {
        name,
        usedBytes: 1,
        totalBytes: null,
        reservedBytes: null,
        peakBytes: null,
        utilisation: null,
        temperatureC: null,
        powerW: null,
      },
    ],
  })
  const both = [told(0, 'trainer process (RSS)'), told(1, 'GPU 0 X'), told(2, 'trainer process (RSS)')]
  expect([drawnSamples(both), drawnSamples(both.slice(2))]).toEqual([[both[1]], [both[2]]])
})

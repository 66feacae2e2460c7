import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BarMerge } from './merge-bars.ts'
import { linearScale, niceTicks, stepDomain, stepTicks, valueDomain } from './scale.ts'
import type { Bar } from './stack-chart.tsx'
import { thin } from './thin.ts'

test('a scale maps its ends, goes back, and puts a domain without extent in the middle', () => {
  const scale = linearScale([0, 1], [100, 20])
  expect([scale.at(0), scale.at(1), scale.at(0.25), scale.invert(60)]).toEqual([100, 20, 80, 0.5])
  expect(linearScale([3, 3], [0, 10]).at(3)).toBe(5)
})

test('ticks are round, inside, and whole where they count steps', () => {
  expect(niceTicks([0, 1], 4)).toEqual([0, 0.5, 1])
  expect(niceTicks([-0.013, 0.021], 3)).toEqual([0, 0.02])
  expect(stepDomain(1, 17, 24)).toEqual([0.4, 24.6])
  expect(stepDomain(null, null, null)).toEqual([0.4, 1.6])
  expect(stepTicks([0.4, 24.6], 900)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
  ])
  expect(stepTicks([0.4, 24.6], 200)).toEqual([5, 10, 15, 20])
  expect(stepTicks([0.4, 5000.6], 300)).toEqual([1000, 2000, 3000, 4000, 5000])
})

test('a domain of values never counts a gap as zero', () => {
  expect(valueDomain([null, null])).toBeNull()
  expect(valueDomain([5, null, 6])?.map((value) => Number(value.toFixed(2)))).toEqual([4.94, 6.06])
  expect(valueDomain([5, 6], [0])?.[0]).toBe(0)
})

test('thinning keeps every spike, every gap, the order of x, and at most three places a pixel', () => {
  const column = fc.option(fc.integer({ min: -1000, max: 1000 }), { nil: null, freq: 8 })
  fc.assert(
    fc.property(
      fc.array(column, { minLength: 300, maxLength: 2000 }),
      fc.array(column, { maxLength: 5 }),
      (values, other) => {
        const x = values.map((_, index) => index)
        const second = values.map((_, index) => other[index % (other.length + 1)] ?? null)
        const width = 50
        const domain: [number, number] = [0, x.length]
        const thinned = thin({ x, series: [values, second] }, domain, width)
        const numbers = (list: readonly (number | null)[]) => list.filter((value) => value !== null)
        expect(thinned.x.length).toBeLessThanOrEqual(3 * width)
        expect(thinned.x).toEqual([...thinned.x].sort((a, b) => a - b))
        for (const [series, kept] of [
          [values, thinned.series[0] ?? []],
          [second, thinned.series[1] ?? []],
        ] as const) {
          expect(kept.length).toBe(thinned.x.length)
          expect([Math.min(...numbers(kept)), Math.max(...numbers(kept))]).toEqual([
            Math.min(...numbers(series)),
            Math.max(...numbers(series)),
          ])
          expect(kept.includes(null)).toBe(series.includes(null))
        }
      },
    ),
  )
})

test('what fits already is left alone', () => {
  const columns = { x: [1, 2, 3], series: [[1, null, 3]] }
  expect(thin(columns, [1, 3], 100)).toBe(columns)
})

test('bars drawn together keep their mean, or the greatest of them, and their order of parts', () => {
  const bar = (step: number, passed: number, failed: number) => ({
    step,
    segments: [
      { value: passed, token: 'passed' as const, style: 'solid' as const },
      ...(failed > 0 ? [{ value: failed, token: 'test_failed' as const, style: 'solid' as const }] : []),
    ],
  })
  const bars = [bar(4, 1, 0), bar(5, 0.5, 0.5), bar(6, 0.25, 0.75)]
  expect(new BarMerge().merge(bars, 2, 'mean')).toEqual([
    bar(4.5, 0.75, 0.25),
    { ...bar(6, 0.25, 0.75), step: 6.5 },
  ])
  expect(new BarMerge().merge([bar(4, 3, 0), bar(5, 9, 1)], 2, 'greatest')).toEqual([
    { ...bar(5, 9, 1), step: 4.5 },
  ])
})

test('bars merged one after the other are those that are merged at once, and a bar that stays is not merged again', () => {
  const edit = fc.record({
    at: fc.nat(60),
    value: fc.double({ min: 0, max: 1, noNaN: true }),
    none: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 120 }), fc.integer({ min: 1, max: 7 }), (edits, size) => {
      const kept = new BarMerge()
      const bars: (Bar | null)[] = []
      for (const { at, value, none } of edits) {
        const place = Math.min(at, bars.length)
        const segments = [{ value, token: 'passed' as const, style: 'solid' as const }]
        bars[place] = none ? null : { step: place, segments }
        expect(kept.merge(bars, size, 'mean')).toEqual(new BarMerge().merge(bars, size, 'mean'))
      }
    }),
  )
  const merge = new BarMerge()
  const bars = Array.from({ length: 90 }, (_, step): Bar => ({ step, segments: [] }))
  const [first] = merge.merge(bars, 3, 'mean')
  bars.push({ step: 90, segments: [] })
  expect(merge.merge(bars, 3, 'mean')[0]).toBe(first)
})

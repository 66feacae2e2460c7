import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newStepRow } from '#shared/journal/empty.ts'
import { nullsOf, stripColumns } from './strip-columns.ts'

const rows = fc
  .array(
    fc.record({
      low: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      nulls: fc.integer({ min: 0, max: 3 }),
      tampered: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 400 },
  )
  .map((list) =>
    list.map(({ low, nulls, tampered }, at) => ({
      ...newStepRow(at + 1),
      rewardMin: low,
      rewardMax: low === null ? null : (1 + low) / 2,
      generated: 8,
      byStatus: { unreachable: nulls, tampered },
    })),
  )

test('however many steps share a pixel, no outlier, null or tampered rollout vanishes', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 60 }), (list, width) => {
      const pixelOf = (step: number) => Math.floor(((step - 1) / list.length) * width)
      const columns = stripColumns(list, list.map(nullsOf), pixelOf)
      expect(columns.length).toBeLessThanOrEqual(width)
      const sum = (of: (column: (typeof columns)[number]) => number) =>
        columns.reduce((all, one) => all + of(one), 0)
      expect([sum((one) => one.nulls), sum((one) => one.tampered), sum((one) => one.rollouts)]).toEqual([
        list.reduce((all, row) => all + row.byStatus.unreachable, 0),
        list.reduce((all, row) => all + row.byStatus.tampered, 0),
        8 * list.length,
      ])
      for (const row of list) {
        const column = columns.find((one) => one.pixel === pixelOf(row.step))
        if (row.rewardMin === null || row.rewardMax === null) continue
        expect(column?.min).toBeLessThanOrEqual(row.rewardMin)
        expect(column?.max).toBeGreaterThanOrEqual(row.rewardMax)
      }
    }),
  )
})

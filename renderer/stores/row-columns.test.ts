import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newStepRow } from '#shared/journal/empty.ts'
import type { StepRow } from '#shared/journal/state.ts'
import { RowColumns } from './row-columns.ts'

const row = (step: number, loss: number): StepRow => ({ ...newStepRow(step), loss })

test('a column is always what it would be if it were made anew, whenever it is read', () => {
  const change = fc.record({ at: fc.nat(400), loss: fc.nat(1000), read: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 700 }), (changes) => {
      const columns = new RowColumns()
      const loss = (one: StepRow) => one.loss
      const rows: StepRow[] = []
      for (const { at, loss: value, read } of changes) {
        const place = Math.min(at, rows.length)
        rows[place] = row(place, value)
        columns.changed(place)
        if (read) expect(columns.column(rows, loss)).toEqual(rows.map(loss))
      }
      expect(columns.column(rows, loss)).toEqual(rows.map(loss))
    }),
  )
})

test('what was read of late is brought up to date before it is read, and what was not is let go', () => {
  const columns = new RowColumns()
  const rows: StepRow[] = []
  let looks = 0
  const loss = (one: StepRow) => {
    looks += 1
    return one.loss
  }
  const grow = () => {
    rows.push(row(rows.length, rows.length))
    columns.changed(rows.length - 1)
    columns.bringUp(rows)
  }
  grow()
  columns.column(rows, loss)
  grow()
  grow()
  expect([looks, columns.column(rows, loss), looks]).toEqual([3, [0, 1, 2], 3])
  for (let more = 0; more < 1000; more += 1) grow()
  expect(looks).toBeLessThan(300)
  expect(columns.column(rows, loss)).toEqual(rows.map(({ step }) => step))
})

test('a sum goes on from the row before, also from the middle', () => {
  const columns = new RowColumns()
  const rows = [1, 2, 3, 4].map((loss, step) => row(step, loss))
  const sum = (one: StepRow, before = 0): number => before + (one.loss ?? 0)
  columns.changed(0)
  expect(columns.column(rows, sum)).toEqual([1, 3, 6, 10])
  rows[2] = row(2, 30)
  columns.changed(2)
  expect(columns.column(rows, sum)).toEqual([1, 3, 33, 37])
})

test('a row that did not change is not looked at again', () => {
  const columns = new RowColumns()
  const rows = Array.from({ length: 10_000 }, (_, step) => row(step, step))
  columns.changed(0)
  let looks = 0
  const loss = (one: StepRow) => {
    looks += 1
    return one.loss
  }
  columns.column(rows, loss)
  rows.push(row(10_000, 1))
  columns.changed(10_000)
  columns.column(rows, loss)
  expect([looks, columns.column(rows, loss).length]).toEqual([10_001, 10_001])
})

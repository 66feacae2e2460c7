import { expect, test } from 'vitest'
import { newStepRow } from '#shared/journal/empty.ts'
import type { StepRow } from '#shared/journal/state.ts'
import { RowColumns } from '../../stores/row-columns.ts'
import { mostUsed, movingSilent, movingSilentAt, silentShare, stepClock, timeLeftMs } from './figures.ts'

const at = (seconds: number) => new Date(Date.parse('2026-11-29T09:00:00Z') + seconds * 1000).toISOString()
const data = (rows: StepRow[]) => {
  const columns = new RowColumns()
  columns.changed(0)
  return { column: <T>(of: (row: StepRow, before: T | undefined) => T) => columns.column(rows, of) }
}
const row = (step: number, from: number, to: number | null) => ({
  ...newStepRow(step),
  startedAt: at(from),
  finishedAt: to === null ? null : at(to),
})

test('a time stands inside its step by the share that had passed', () => {
  const place = stepClock(data([row(1, 0, 8), row(2, 10, 20), row(3, 20, null)]))
  const seconds = [-1, 0, 5, 10, 15, 20, 25, 300]
  expect(seconds.map((second) => place(Date.parse(at(second))))).toEqual([null, 0.5, 1, 1.5, 2, 2.5, 3, 3.5])
  expect(stepClock(data([]))(0)).toBeNull()
})

test('the time left follows the usual pace, not the one step that was blocked', () => {
  const steps = [row(1, 0, 9), row(2, 10, 19), row(3, 20, 29), row(4, 90, 99), row(5, 100, null)]
  expect(timeLeftMs(data(steps), 24)).toBe(20 * 10_000)
  expect([timeLeftMs(data(steps.slice(0, 1)), 24), timeLeftMs(data(steps), null)]).toEqual([null, null])
})

test('silent groups are counted over finished steps only', () => {
  const finished = { ...row(1, 0, 9), silentGroups: 3, groups: 8 }
  expect(silentShare(data([finished, { ...row(2, 10, null), groups: 8 }]))).toEqual({ silent: 3, groups: 8 })
})

test('the moving share of silent groups at a step is that of the line there', () => {
  const steps = Array.from({ length: 60 }, (_, at) => ({
    ...row(at, at, at + 1),
    silentGroups: at % 7 === 3 ? null : at % 4,
    groups: at % 7 === 3 ? null : 4,
  }))
  const line = movingSilent(data(steps))
  expect(steps.map((_, at) => movingSilentAt(data(steps), at))).toEqual(line)
  expect([line[0], line[3], line[59]]).toEqual([0, 3 / 12, 26 / 68])
})

test('memory that no device told of is not known, and is not 0', () => {
  const device = {
    name: 'gpu',
    totalBytes: 100,
    reservedBytes: null,
    utilisation: null,
    temperatureC: null,
    powerW: null,
  }
  const sample = (usedBytes: number | null, peakBytes: number | null) => ({
    at: at(0),
    devices: [{ ...device, usedBytes, peakBytes }],
  })
  expect(mostUsed([])).toBeNull()
  expect(mostUsed([sample(null, null)])).toBeNull()
  expect(mostUsed([sample(null, null), sample(40, null), sample(30, 55), sample(0, null)])).toBe(55)
})

import { expect, test } from 'vitest'
import type { LiveDelta } from '#shared/ipc/contract.ts'
import { emptyState } from '#shared/journal/empty.ts'
import { LiveData, pointsKept } from '../../stores/live-data.ts'
import { layoutStrip } from './strip-layout.ts'
import { stripMarks } from './strip-marks.ts'

const perStep = 100

/** A window on a run of ten thousand steps, with as many marks as it keeps, each reward among its last ones once. */
function longRun(): LiveData {
  const data = new LiveData()
  const first = 10_000 - pointsKept / perStep
  const points = Array.from({ length: pointsKept }, (_, n): LiveDelta['points'][number] => ({
    id: `r-20261129-aaaaaa/${first + Math.floor(n / perStep)}/0/${n % perStep}`,
    step: first + Math.floor(n / perStep),
    g: Math.floor((n % perStep) / 10),
    i: n % 10,
    task: 't',
    s: n % 997 === 0 ? 'tampered' : n % 3 === 0 ? 'passed' : 'test_failed',
    r: n % 997 === 0 ? 0 : n % 3 === 0 ? 1 : (n % 50) / 50,
    a: null,
  }))
  const { steps: _, memory: __, ...state } = emptyState()
  data.apply(
    {
      seq: 1,
      reset: true,
      more: false,
      state,
      steps: [],
      points,
      memory: [],
      blocks: [],
      judged: [],
      falseAccepted: { count: 0, firstStep: null },
      alarmMarks: [],
      heartbeats: [],
      verifier: null,
      now: '2026-11-29T12:00:00.000Z',
    },
    0,
  )
  return data
}

test('where a step is a fraction of a pixel, no more marks are drawn than can be told apart, and none of a kind vanishes', () => {
  const data = longRun()
  const layout = layoutStrip(1000, 220, [0, 10_000])
  const marks = stripMarks(data, layout)
  const places = new Set(marks.map(({ x, y, status }) => `${Math.round(x)} ${Math.round(y)} ${status}`))
  expect(marks.length).toBe(places.size)
  expect(marks.length).toBeLessThan(pointsKept / 4)
  expect(new Set(marks.map(({ status }) => status))).toEqual(new Set(['passed', 'test_failed', 'tampered']))
})

test('close up, every rollout is a mark', () => {
  const marks = stripMarks(longRun(), layoutStrip(1000, 220, [9_990, 10_000]))
  expect(marks.length).toBe(10 * perStep)
})

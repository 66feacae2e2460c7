import { expect, test } from 'vitest'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeSpec } from '../testing/fake-spec.ts'
import { LiveData, pointsKept } from './live-data.ts'

/** A window that pulled all along, every `stride` ms of the run's time. */
function watched(stride: number): LiveData {
  const core = new FakeCore(fakeSpec)
  const data = new LiveData()
  for (let at = 0; at <= core.lastMs + 2000; at += stride) {
    core.advanceTo(at)
    data.apply(core.deltaOf(fakeSpec.run, data.seq), core.nowMs)
  }
  core.advanceTo(core.lastMs + 2000)
  data.apply(core.deltaOf(fakeSpec.run, data.seq), core.nowMs)
  return data
}

/** One that was opened only now. */
function opened(): LiveData {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(core.lastMs + 2000)
  const data = new LiveData()
  data.apply(core.deltaOf(fakeSpec.run, 0), core.nowMs)
  return data
}

const everything = (data: LiveData) => ({
  steps: data.steps,
  points: data.stepsWithPoints().map((step) => data.pointsOf(step)),
  falseAcceptances: data.falseAcceptances.map((point) => point.id).sort(),
  memory: data.memory,
})

test('a window that watched all along shows what one opened at the end shows', () => {
  expect(everything(watched(1500))).toEqual(everything(opened()))
})

test('next and previous visit every rollout once, in order, across steps', () => {
  const data = opened()
  const seen: string[] = []
  let at = data.pointsOf(1)[0] ?? null
  while (at) {
    seen.push(at.id.split('/').slice(1).join('/'))
    at = data.neighbour(at.id, 1)
  }
  const expected: string[] = []
  for (let step = 1; step <= 24; step++)
    for (let g = 0; g < 8; g++) for (let i = 0; i < 4; i++) expected.push(`${step}/${g}/${i}`)
  expect(seen).toEqual(expected)
  expect(data.neighbour(`${fakeSpec.run}/2/0/0`, -1)?.id).toBe(`${fakeSpec.run}/1/7/3`)
  expect([data.neighbour(null, 1)?.id, data.neighbour(null, -1)?.id]).toEqual(
    Array(2).fill(`${fakeSpec.run}/24/7/3`),
  )
})

test('a null becomes a grade without a second mark, and a reset forgets what was held', () => {
  const core = new FakeCore(fakeSpec)
  const data = new LiveData()
  core.advanceTo(core.timeOf((event) => event.type === 'verifier.blocked') + 20_000)
  data.apply(core.deltaOf(fakeSpec.run, 0), core.nowMs)
  const nulls = () => data.pointsOf(9).filter((point) => point.r === null).length
  expect([nulls(), data.pointsOf(9).length]).toEqual([12, 32])
  core.advanceTo(core.lastMs)
  data.apply(core.deltaOf(fakeSpec.run, data.seq), core.nowMs)
  expect([nulls(), data.pointsOf(9).length]).toEqual([0, 32])
  data.apply({ ...core.deltaOf(fakeSpec.run, data.seq), reset: true }, core.nowMs)
  expect([data.pointCount, data.falseAcceptances.length]).toEqual([0, 0])
})

test('a run of any length keeps as many marks as a strip has room for, of whole steps, and every row', () => {
  const data = opened()
  const template = data.pointsOf(1)[0]
  const row = data.step(1)
  if (!template || !row || !data.head) throw new Error('the fake run has a first step')
  const [size, steps] = [100, 400]
  const { head } = data
  const long = new LiveData()
  for (let step = 1; step <= steps; step += 1)
    long.apply(
      {
        seq: step,
        reset: step === 1,
        more: false,
        state: head,
        steps: [{ ...row, step }],
        points: Array.from({ length: size }, (_, i) => ({ ...template, id: `${step}/${i}`, step, g: 0, i })),
        memory: [],
        blocks: [],
        alarmMarks: [],
        judged: [],
        falseAccepted: { count: 0, firstStep: null },
        heartbeats: [],
        verifier: null,
        now: '2026-11-29T12:00:00.000Z',
      },
      0,
    )
  expect(long.pointCount).toBe(pointsKept)
  expect(long.stepsWithPoints()).toEqual(
    Array.from({ length: pointsKept / size }, (_, at) => steps - 199 + at),
  )
  expect(long.steps.length).toBe(steps)
})

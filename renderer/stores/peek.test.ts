import { expect, test } from 'vitest'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeRun, fakeSpec } from '../testing/fake-spec.ts'
import { LiveData } from './live-data.ts'
import { peekKey } from './peek.ts'

test('what was seen of a rollout is asked for again when its grade, its audit or its step’s end is new', () => {
  const core = new FakeCore(fakeSpec)
  const data = new LiveData()
  const at = (ms: number) => {
    core.advanceTo(ms)
    data.apply(core.deltaOf(fakeRun, data.seq), core.nowMs)
  }
  const timeOf = (type: string) =>
    core.timeOf((event) => event.type === type && 'step' in event && event.step === 4)
  const [begins, ends] = [timeOf('step.started'), timeOf('step.finished')]
  at(begins)
  at(ends - 1)
  const points = data.pointsOf(4)
  const unaudited = points.find(({ s }) => s === 'no_answer' || s === 'build_failed')?.id ?? ''
  const keys = [peekKey(data, unaudited)]
  at(ends)
  keys.push(peekKey(data, unaudited))
  at(ends + 60_000)
  keys.push(peekKey(data, unaudited))
  expect(keys.map((key) => key.split(' ').at(-1))).toEqual(['false', 'true', 'true'])
  expect(new Set(keys.map((key) => key.split(' ')[0]))).toEqual(new Set([unaudited]))
})

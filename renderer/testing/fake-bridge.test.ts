import { expect, test } from 'vitest'
import type { LiveDelta } from '#shared/ipc/contract.ts'
import { FakeCore } from './fake-core.ts'
import { fakeSpec } from './fake-spec.ts'

const pull = (core: FakeCore, after: number): LiveDelta => core.deltaOf(fakeSpec.run, after)

test('the fake run is the same whoever plays it and however its time was cut', () => {
  const whole = new FakeCore(fakeSpec)
  whole.advanceTo(whole.lastMs + 2000)
  const sliced = new FakeCore(fakeSpec)
  for (let at = 0; at <= sliced.lastMs + 2000; at += 997) sliced.advanceTo(at)
  sliced.advanceTo(sliced.lastMs + 2000)
  expect(sliced.state).toEqual(whole.state)
  const points = (core: FakeCore) => new Map(pull(core, 0).points.map((point) => [point.id, point]))
  expect(points(sliced)).toEqual(points(whole))
})

test('it shows what the window is for: a blocked step with nulls, both mechanisms, a finished run without a null', () => {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(core.timeOf((event) => event.type === 'verifier.blocked') + 20_000)
  const blocked = pull(core, 0)
  expect([blocked.state.phase, blocked.state.byStatus.unreachable]).toEqual(['blocked', 12])
  expect(blocked.points.filter((point) => point.s === 'unreachable').map((point) => point.r)).toEqual(
    Array(12).fill(null),
  )
  core.advanceTo(core.lastMs + 2000)
  const mechanisms = new Set(
    core.falseAcceptances().map((id) => core.journal.rollouts.get(id)?.body.mechanism),
  )
  expect(mechanisms).toEqual(new Set(['endpoint', 'ties']))
  expect([core.summary().nullRewards, core.state.outcome, core.state.steps.length]).toEqual([
    0,
    'completed',
    24,
  ])
})

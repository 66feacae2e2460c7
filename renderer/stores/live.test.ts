import { afterEach, expect, test } from 'vitest'
import { provideCore } from '../app/core.ts'
import { FakeBridge } from '../testing/fake-bridge.ts'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeRun, fakeSpec } from '../testing/fake-spec.ts'
import { liveData, onDidChangeLive, pullLive, useLive, watchRun } from './live.ts'

afterEach(() => watchRun(null))

const changed = () =>
  new Promise<void>((resolve) => {
    const stop = onDidChangeLive.on(() => {
      stop()
      resolve()
    })
  })

test('a watched run is pulled from its beginning, and then only what moved since', async () => {
  const core = new FakeCore(fakeSpec)
  provideCore(new FakeBridge(core))
  const replies: { after: number; points: number }[] = []
  const deltaOf = core.deltaOf.bind(core)
  core.deltaOf = (run, after) => {
    const delta = deltaOf(run, after)
    replies.push({ after, points: delta.points.length })
    return delta
  }
  core.advanceTo(core.timeOf((event) => event.type === 'step.finished' && event.step === 3))
  const first = changed()
  watchRun(fakeRun)
  await first
  expect([liveData().steps.length, liveData().pointCount]).toEqual([3, 96])

  core.advanceTo(core.timeOf((event) => event.type === 'step.finished' && event.step === 4))
  const next = changed()
  const seq = liveData().seq
  for (let times = 0; times < 20; times++) pullLive()
  await next
  expect([liveData().steps.length, liveData().pointCount]).toEqual([4, 128])
  expect(replies.map((reply) => reply.after)).toEqual([-1, seq])
  expect(replies[1]?.points).toBeLessThan(70)
})

test('a run that is not there is said, and the error goes with the next run', async () => {
  const core = new FakeCore(fakeSpec)
  provideCore(new FakeBridge(core))
  watchRun('r-20261129-aaaaaa')
  await expect.poll(() => useLive.getState().error?.message).toBe('There is no run r-20261129-aaaaaa.')
  watchRun(fakeRun)
  expect(useLive.getState().error).toBeNull()
  await expect.poll(() => liveData().head?.phase).toBe('pending')
})

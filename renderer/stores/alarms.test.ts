import { expect, test } from 'vitest'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeSpec } from '../testing/fake-spec.ts'
import { alarmsOf, episodesOf, routeOf } from './alarms.ts'
import { LiveData } from './live-data.ts'

const { run } = fakeSpec

function dataAt(moment: (core: FakeCore) => number) {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(moment(core))
  const data = new LiveData()
  const pull = () => data.apply(core.deltaOf(run, 0), core.nowMs)
  pull()
  return { core, data, pull, now: core.nowMs }
}

test('a silent verifier comes first, with how long, what waits and where to see it', () => {
  const { data, now } = dataAt((core) => core.timeOf((event) => event.type === 'verifier.blocked') + 23_000)
  const [first, second] = alarmsOf(data, now)
  expect(first).toMatchObject({
    code: 'verifier_silent',
    level: 'error',
    title: 'Verifier silent for 23 s',
    text: 'The verifier does not answer. Step 9 waits: 12 rollouts kept without a reward, attempt 5. It goes on by itself.',
    step: 9,
    mark: null,
  })
  expect(first && routeOf(run, first.link)).toEqual({ view: 'rollouts', run, filter: 'reward:null' })
  expect(second?.code).toBe('false_acceptances')
})

test('an acknowledged alarm goes last until it happens anew, and a muted one is only shown when asked for', () => {
  const { core, data, pull, now } = dataAt((core) => core.lastMs + 2000)
  const codes = (withMuted = false) => alarmsOf(data, now, withMuted).map(({ code, mark }) => [code, mark])
  const before = codes()
  expect(before[0]).toEqual(['false_acceptances', null])
  expect(before).toContainEqual(['was_silent', null])
  const since = alarmsOf(data, now)[0]?.since ?? ''
  core.markAlarm({ code: 'false_acceptances', mark: 'acknowledged', since })
  core.markAlarm({ code: 'was_silent', mark: 'muted', since: 'any' })
  pull()
  expect(codes().at(-1)).toEqual(['false_acceptances', 'acknowledged'])
  expect(codes()).not.toContainEqual(['was_silent', 'muted'])
  expect(codes(true).at(-1)).toEqual(['was_silent', 'muted'])
  core.markAlarm({ code: 'false_acceptances', mark: 'acknowledged', since: 'an earlier one' })
  core.markAlarm({ code: 'was_silent', mark: null, since: 'any' })
  pull()
  expect(codes()).toEqual(before)
})

test('nothing is wrong with a run that nothing is known of', () => {
  expect([alarmsOf(new LiveData(), 0), episodesOf(new LiveData())]).toEqual([[], []])
})

import { expect, test } from 'vitest'
import { LiveData } from '../../stores/live-data.ts'
import { FakeCore } from '../../testing/fake-core.ts'
import { fakeSpec } from '../../testing/fake-spec.ts'
import { alarmsOf } from './alarms.ts'

const { run } = fakeSpec

function dataAt(moment: (core: FakeCore) => number) {
  const core = new FakeCore(fakeSpec)
  core.advanceTo(moment(core))
  const data = new LiveData()
  data.apply(core.deltaOf(run, 0), core.nowMs)
  return { data, now: core.nowMs }
}

test('a silent verifier comes first, with how long, what waits and where to see it', () => {
  const { data, now } = dataAt((core) => core.timeOf((event) => event.type === 'verifier.blocked') + 23_000)
  const [first, second] = alarmsOf(run, data, now)
  expect(first).toEqual({
    key: 'blocked',
    tone: 'bad',
    title: 'Verifier silent for 23 s',
    text: 'The verifier does not answer. Step 9 waits: 12 rollouts kept without a reward, attempt 5. It goes on by itself.',
    to: { view: 'rollouts', run, filter: 'reward:null' },
  })
  expect(second?.key).toBe('false-acceptances')
})

test('a finished run tells what it wrongly accepted, of how many, and that it had waited', () => {
  const { data, now } = dataAt((core) => core.lastMs + 2000)
  const found = data.falseAcceptances.length
  const accepted = data.head?.byStatus.passed
  expect(alarmsOf(run, data, now).map(({ key, title }) => [key, title])).toEqual([
    ['false-acceptances', `${found} accepted, audit rejects`],
    ['was-blocked', 'Verifier was silent 41 s'],
    ['tampered', `${data.head?.byStatus.tampered} bodies tampered`],
  ])
  expect(alarmsOf(run, data, now)[0]?.text).toContain(`of ${accepted} accepted in training`)
})

test('tests that did not run, unresolved grades and a damaged journal are alarms; nothing is without a run', () => {
  const { data, now } = dataAt((core) => core.lastMs)
  if (!data.head) throw new Error('no run')
  data.head = {
    ...data.head,
    byStatus: { no_test_ran: 2, unresolved: 1 },
    blocks: [],
    faults: [{ kind: 'gap', offset: 1234, expected: 7, got: 9 }],
    alerts: [
      { at: '2026-11-29T09:12:00.000Z', code: 'disk_full', level: 'error', text: 'The disk was full.' },
      { at: '2026-11-29T09:13:00.000Z', code: 'disk_full', level: 'error', text: 'The disk is full.' },
      { at: '2026-11-29T09:13:00.000Z', code: 'note', level: 'info', text: 'A note.' },
    ],
  }
  data.falseAcceptances = []
  expect(alarmsOf(run, data, now).map(({ tone, title }) => [tone, title])).toEqual([
    ['bad', 'No test ran for 2 bodies'],
    ['bad', '1 grade unresolved'],
    ['bad', '1 fault in the journal'],
    ['bad', 'The disk is full.'],
  ])
  expect(alarmsOf(run, new LiveData(), now)).toEqual([])
})

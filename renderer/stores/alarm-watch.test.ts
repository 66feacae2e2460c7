import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ask, provideCore } from '../app/core.ts'
import { FakeBridge } from '../testing/fake-bridge.ts'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeRun, fakeSpec } from '../testing/fake-spec.ts'
import { lookForErrors } from './alarm-watch.ts'
import { toggleNotify } from './notify.ts'
import { useRuns } from './runs.ts'
import { useSettings } from './settings.ts'

type Told = { title: string; body: string; tag: string }
let told: Told[] = []
let leave: NotificationPermission = 'granted'

class FakeNotification {
  static get permission() {
    return leave
  }
  static requestPermission = () => Promise.resolve(leave === 'default' ? 'denied' : leave)
  onclick: (() => void) | null = null
  constructor(title: string, { body = '', tag = '' }: NotificationOptions) {
    told.push({ title, body, tag })
  }
}

beforeEach(() => {
  told = []
  leave = 'granted'
  vi.stubGlobal('window', globalThis)
  vi.stubGlobal('Notification', FakeNotification)
  useSettings.setState({ notify: true })
})
afterEach(() => {
  useSettings.setState({ notify: false })
  lookForErrors()
  vi.unstubAllGlobals()
})

/** A run that is under way, and a moment of it at which the verifier has been silent for a while. */
function blockedRun() {
  const core = new FakeCore(fakeSpec)
  const bridge = new FakeBridge(core)
  provideCore(bridge)
  const blockedMs = core.timeOf((event) => event.type === 'verifier.blocked')
  const pulls = () => bridge.requests.filter((name) => name === 'live.since').length
  const lookAt = async (ms: number) => {
    core.advanceTo(ms)
    useRuns.setState({ runs: await ask('runs.list', {}) })
    const before = pulls()
    lookForErrors()
    await expect.poll(pulls).toBeGreaterThan(before)
    await new Promise((looked) => setTimeout(looked, 10))
  }
  return { core, blockedMs, lookAt }
}

const silent = ({ tag }: Told) => tag === `${fakeRun} verifier_silent`

test('an error of a run under way is told once, by its title, with the run', async () => {
  const { blockedMs, lookAt } = blockedRun()
  await lookAt(blockedMs - 5000)
  expect(useRuns.getState().runs?.map(({ phase }) => phase)).toContain('running')
  expect(told.filter(silent)).toEqual([])

  await lookAt(blockedMs + 23_000)
  await lookAt(blockedMs + 24_000)
  expect(told.filter(silent)).toEqual([
    {
      title: 'Verifier silent for 23 s',
      body: expect.stringContaining(`${fakeRun}. The verifier does not answer.`),
      tag: `${fakeRun} verifier_silent`,
    },
  ])
})

test('an error that was there when the window began to look is not told', async () => {
  const { blockedMs, lookAt } = blockedRun()
  await lookAt(blockedMs + 23_000)
  await lookAt(blockedMs + 24_000)
  expect(told.filter(silent)).toEqual([])
})

test('a muted error is not told', async () => {
  const { core, blockedMs, lookAt } = blockedRun()
  await lookAt(blockedMs - 5000)
  core.markAlarm({ code: 'verifier_silent', mark: 'muted', since: 'any' })
  await lookAt(blockedMs + 23_000)
  expect(told.filter(silent)).toEqual([])
})

test('nothing is told where the system gave no leave, or the person wants none', async () => {
  const { blockedMs, lookAt } = blockedRun()
  leave = 'denied'
  await lookAt(blockedMs - 5000)
  await lookAt(blockedMs + 23_000)
  expect(told).toEqual([])

  leave = 'default'
  useSettings.setState({ notify: false })
  await toggleNotify(true)
  expect(useSettings.getState().notify).toBe(false)
  leave = 'granted'
  await toggleNotify(true)
  expect(useSettings.getState().notify).toBe(true)
})

import { beforeEach, expect, test } from 'vitest'
import { provideCore } from '../app/core.ts'
import { FakeBridge } from '../testing/fake-bridge.ts'
import { FakeCore } from '../testing/fake-core.ts'
import { fakeOptions } from '../testing/fake-launch.ts'
import { fakeSpec } from '../testing/fake-spec.ts'
import {
  changeDraft,
  checkDraft,
  loadLaunchOptions,
  overrideCheck,
  putPreflightRow,
  startDemo,
  startRun,
  useLaunch,
} from './launch.ts'

let bridge: FakeBridge

beforeEach(async () => {
  bridge = new FakeBridge(new FakeCore(fakeSpec))
  provideCore(bridge)
  bridge.on('preflight.row', ({ row }) => putPreflightRow(row))
  useLaunch.setState(useLaunch.getInitialState(), true)
  await loadLaunchOptions()
})

const states = () => useLaunch.getState().rows.map((row) => `${row.check} ${row.state}`)

test('rows come in one by one, each once, and the report has the last word', async () => {
  const seen: { checks: string[]; states: string[] }[] = []
  const stop = useLaunch.subscribe(({ rows }) =>
    seen.push({ checks: rows.map((row) => row.check), states: rows.map((row) => row.state) }),
  )
  await checkDraft()
  stop()
  expect(seen.some(({ states: held }) => held.at(-1) === 'running')).toBe(true)
  expect(seen.filter(({ checks }) => new Set(checks).size !== checks.length)).toEqual([])
  expect(states()).toEqual(
    ['draft', 'python', 'isolation', 'disk', 'suite', 'reference', 'controls', 'audit'].map(
      (check) => `${check} passed`,
    ),
  )
  expect(useLaunch.getState()).toMatchObject({ verdict: 'ready', busy: 'no', error: null })
})

test('failing controls start nothing until a reason is typed, and then the reason goes with the draft', async () => {
  changeDraft({ seed: 13 })
  await checkDraft()
  expect(useLaunch.getState().verdict).toBe('failed')
  const { draft } = useLaunch.getState()
  if (!draft) throw new Error('no draft')
  expect(await startRun(draft)).toBeNull()
  expect(useLaunch.getState().error?.code).toBe('preflight_failed')
  overrideCheck('controls', 'known fault of one control, see the notes')
  await checkDraft()
  expect(states()).toContain('controls warned')
  const overridden = useLaunch.getState().draft
  expect(overridden?.overrides).toEqual([
    { check: 'controls', reason: 'known fault of one control, see the notes' },
  ])
  expect(overridden && (await startRun(overridden))).toBe(fakeSpec.run)
})

test('the demo is the defaults at a pace that an eye can follow, and a second click starts no second run', async () => {
  const [first, second] = await Promise.all([startDemo(), startDemo()])
  expect([first, second]).toEqual([fakeSpec.run, null])
  expect(bridge.requests.filter((name) => name === 'launch.start')).toHaveLength(1)
  expect(useLaunch.getState().draft).toEqual({ ...fakeOptions.defaults, paceMs: 1000 })
})

import { mount } from '../app/mount.tsx'
import { FakeBridge } from './fake-bridge.ts'
import { fakePlacement } from './fake-clusters.ts'
import { FakeCore } from './fake-core.ts'
import { otherRuns } from './fake-others.ts'
import { fakeSpec } from './fake-spec.ts'

/**
 * The window over the fake core. In the address: `at` (`start`, `step:17`, `blocked`, `end`, or seconds) says where the run begins, `speed`
 * how many times as fast as life it goes (0 stands still), `updates` how many steps it has, `bytes` how long every body is, `runs=none` hides every run until one is launched.
 */
const query = new URLSearchParams(window.location.search)
const updates = Number(query.get('updates') ?? fakeSpec.trainer.updates)
const verifier = query.has('cluster') ? { ...fakeSpec.verifier, placement: fakePlacement } : fakeSpec.verifier
const core = new FakeCore({ ...fakeSpec, verifier, trainer: { ...fakeSpec.trainer, updates } })
const speed = Number(query.get('speed') ?? 1)
let running = query.get('runs') !== 'none'
core.padding = paddingOf(Number(query.get('bytes') ?? 0))
let elapsedMs = running ? startOf(query.get('at') ?? 'step:17') : 0
core.advanceTo(elapsedMs)

const bridge = new FakeBridge(core, {
  others: query.get('runs') === 'one' || !running ? [] : otherRuns,
  noRuns: !running,
  onLaunch: () => {
    running = true
  },
})

const tickMs = 250
if (speed > 0)
  setInterval(() => {
    if (!running) return
    elapsedMs += tickMs * speed
    core.advanceTo(elapsedMs)
  }, tickMs)

// The fake run happened on a day of its own; the window's clock is set to it, so that ages read as they would.
const offset = core.nowMs - Date.now()
const realNow = Date.now.bind(Date)
Date.now = () => (speed > 0 ? realNow() + offset : core.nowMs)

const root = document.getElementById('root')
if (root) mount(bridge, root)

function startOf(at: string): number {
  if (at === 'start') return 0
  if (at === 'end') return core.lastMs + 2000
  if (at === 'blocked') return core.timeOf((event) => event.type === 'verifier.blocked') + 23_000
  if (at.startsWith('step:')) {
    const step = Number(at.slice(5))
    return core.timeOf((event) => event.type === 'step.started' && event.step === step) + 1300
  }
  return Number(at) * 1000
}

/** Half of `bytes` of plausible code. */
function paddingOf(bytes: number): string {
  const line = (i: number) => `def part_${i}(rows):\n    return [row + ${i % 977} for row in rows]\n\n\n`
  let text = ''
  for (let i = 0; text.length < bytes / 2; i++) text += line(i)
  return text
}

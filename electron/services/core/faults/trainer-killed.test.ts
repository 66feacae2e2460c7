import { expect, test } from 'vitest'
import { attempt } from '#shared/base/result.ts'
import { killKnown } from '../../../testing/kill-known.ts'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { eventually } from '../../box/testing.ts'
import { createCore } from '../core.ts'
import { openConsole, slow, smallRun, takeDown, untilEvent } from './testing.ts'

test(
  'a trainer killed without a last word is shown as interrupted, also by the next console, and is taken down whole',
  slow,
  async () => {
    const home = await tempFolder()
    const first = await createCore({ home, shell: 'command', version: 'test' })
    const { run } = await first.handlers['launch.start']({ draft: { ...smallRun, paceMs: 500 } })
    await untilEvent(first.parts, run, 'step.started', 1)
    const { trainer } = await first.parts.box.status(run)
    killKnown(trainer.pid)
    await eventually('the console to say so', async () => {
      const { state } = await first.handlers['runs.state']({ run })
      return state.outcome === 'interrupted'
    })
    await first.dispose()

    const core = await openConsole(home)
    const { state, summary } = await core.handlers['runs.state']({ run })
    const live = await core.handlers['live.since']({ run, afterSeq: -1 })
    expect([state.phase, state.outcome, state.reason, summary.outcome, live.state.outcome]).toEqual([
      'finished',
      'interrupted',
      'The trainer was ended by signal 9.',
      'interrupted',
      'interrupted',
    ])
    expect(await attempt(() => core.handlers['runs.stop']({ run, mode: 'after_step' }))).toMatchObject({
      ok: false,
      error: { code: 'not_running' },
    })
    const report = await takeDown(core, run)
    expect([report.left, await core.parts.box.processes(run)]).toEqual([[], []])
    const [listed] = await core.handlers['runs.list']({})
    expect([listed?.tornDown, listed?.leases, listed?.outcome]).toEqual([true, 0, 'interrupted'])
  },
)

test('a run is stopped after its step, or at once, and its trainer says so itself', slow, async () => {
  const home = await tempFolder()
  const core = await openConsole(home)
  const outcomes = []
  for (const mode of ['after_step', 'abort'] as const) {
    const { run } = await core.handlers['launch.start']({ draft: { ...smallRun, updates: 50, paceMs: 200 } })
    await untilEvent(core.parts, run, 'step.started', 1)
    await core.handlers['runs.stop']({ run, mode })
    await eventually(`the end after ${mode}`, async () => {
      const { state } = await core.handlers['runs.state']({ run })
      return state.phase === 'finished'
    })
    const { state } = await core.handlers['runs.state']({ run })
    const open = state.steps.filter((step) => step.finishedAt === null).length
    outcomes.push([mode, state.outcome, mode === 'after_step' ? open : null])
  }
  expect(outcomes).toEqual([
    ['after_step', 'stopped', 0],
    ['abort', 'stopped', null],
  ])
})

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isGraded } from '#shared/domain/grade.ts'
import { killKnown } from '../../../testing/kill-known.ts'
import { tempFolder } from '../../../testing/temp-folder.ts'
import { eventually } from '../../box/testing.ts'
import type { OpenCore } from '../core.ts'
import { rooms } from '../data-folder.ts'
import { eventsIn, openConsole, slow, smallRun, takeDown, untilEvent, untilFinished } from './testing.ts'

test(
  'a verifier killed mid-step: the run blocks, nothing is zero for it, and it ends as if nothing had been',
  slow,
  async () => {
    const home = await tempFolder()
    const core = await openConsole(home)
    const calm = await runOnce(core, home, async () => {})
    const shaken = await runOnce(core, home, async (run) => {
      await untilEvent(core.parts, run, 'step.started', 2)
      await killVerifier(core, run)
      await untilEvent(core.parts, run, 'verifier.blocked')
      await eventually('the console to show it', async () => {
        const { state } = await core.handlers['runs.state']({ run })
        return state.phase === 'blocked' || state.blocks.length > 0
      })
    })

    const blocks = shaken.events.flatMap(({ type }) => (type.startsWith('verifier.') ? [type] : []))
    expect([blocks.at(0), blocks.at(-1)]).toEqual(['verifier.blocked', 'verifier.unblocked'])
    const graded = shaken.events.flatMap((event) => (event.type === 'rollout.graded' ? [event] : []))
    expect(graded.filter(({ grade, total }) => isGraded(grade.status) !== (total !== null))).toEqual([])
    expect([shaken.state.outcome, shaken.summary.nullRewards, shaken.state.faults]).toEqual([
      'completed',
      0,
      [],
    ])
    // The same seed gives the same parameters and the same rewards, blocked or not.
    expect(shaken.checkpoints).toEqual(calm.checkpoints)
    expect(shaken.state.steps.map((step) => step.rewardMean)).toEqual(
      calm.state.steps.map((step) => step.rewardMean),
    )
    expect(shaken.verifierExits).toBe(1)
  },
)

async function killVerifier(core: OpenCore, run: string): Promise<void> {
  const { verifier } = await core.parts.box.status(run)
  killKnown(verifier.pid)
}

async function runOnce(core: OpenCore, home: string, disturb: (run: string) => Promise<void>) {
  const { run } = await core.handlers['launch.start']({ draft: smallRun })
  await disturb(run)
  await untilFinished(core, run)
  const { verifierExits } = await core.parts.box.status(run)
  const { state, summary } = await core.handlers['runs.state']({ run })
  const report = await takeDown(core, run)
  expect(report.left).toEqual([])
  const events = await eventsIn(join(rooms(home).runs, run, 'journal.jsonl'))
  const checkpoints = events.flatMap((event) => (event.type === 'checkpoint' ? [event.sha256] : []))
  return { state: structuredClone(state), summary, events, checkpoints, verifierExits }
}

import type { OpenCore } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import type { RunState } from '#shared/journal/state.ts'
import type { Progress } from '../output.ts'

/** Often enough for a bar that moves, rarely enough to cost nothing. */
const lookEveryMs = 500

/** Follows a run to its end, stopping it when asked to. @returns why it did not complete; null where it did. */
export async function followRun(
  core: OpenCore,
  run: string,
  progress: Progress,
  stopped: AbortSignal,
): Promise<AppError | null> {
  let aborting = false
  for (;;) {
    const { state } = await core.handlers['runs.state']({ run })
    progress.show(stageOf(state), inWords(state), shareOf(state))
    if (state.phase === 'finished') return failureOf(run, state)
    if (stopped.aborted && !aborting) {
      aborting = true
      progress.say('stopping the run')
      await core.parts.runs.stop(run, 'abort').catch(() => undefined)
    }
    await pause(lookEveryMs, aborting ? null : stopped)
  }
}

function failureOf(run: string, state: RunState): AppError | null {
  if (state.outcome === 'completed') return null
  return new AppError(
    'unresolved',
    `${run} ended as ${state.outcome ?? 'unknown'}: ${(state.reason ?? 'no reason given').replace(/\.$/, '')}.`,
  )
}

const stageOf = (state: RunState) => (state.phase === 'blocked' ? 'blocked' : (state.stage ?? state.phase))

function inWords(state: RunState): string {
  const block = state.blocks.at(-1)
  if (state.phase === 'blocked' && block) return `waiting for the verifier: ${block.reason}`
  const evaluation = state.evals.at(-1)
  if (evaluation && !evaluation.finished) {
    return `${evaluation.policy}: ${evaluation.drawn} of ${evaluation.planned} draws`
  }
  const step = state.steps.at(-1)
  if (!step) return ''
  const mean = step.rewardMean === null ? 'none yet' : step.rewardMean.toFixed(3)
  return `update ${step.step} of ${state.planned ?? '?'}, ${state.rollouts} rollouts, mean reward ${mean}`
}

function shareOf(state: RunState): number | null {
  const evaluation = state.evals.at(-1)
  if (evaluation && !evaluation.finished && evaluation.planned > 0)
    return evaluation.drawn / evaluation.planned
  const finished = state.steps.filter((step) => step.finishedAt !== null).length
  return state.planned ? finished / state.planned : null
}

/** Waits, or less long where `until` fires. */
function pause(ms: number, until: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    until?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

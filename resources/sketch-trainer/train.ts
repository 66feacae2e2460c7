import { hostname } from 'node:os'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Outcome } from '#shared/domain/run.ts'
import {
  checkpointHolds,
  loadCheckpoint,
  parametersSha256,
  sameHoles,
  saveCheckpoint,
  type TrainerState,
} from './checkpoint.ts'
import { Chooser } from './choose.ts'
import type { Context } from './context.ts'
import { Ended } from './control.ts'
import { evaluate } from './evaluate.ts'
import { trainingRandom } from './generate.ts'
import { initialParameters, type Parameters } from './policy/policy.ts'
import { vocabularyOf } from './policy/sketch.ts'
import { initialOptimizer } from './policy/update.ts'
import { tasksFrom } from './prompts.ts'
import { sha256 } from './run-folder.ts'
import { trainStep } from './step.ts'

/** A long run keeps about this many checkpoints; a step after the last one is then repeated from the journal's grades, not from the verifier. */
const checkpointsKept = 200

/**
 * Runs the spec to its end: baseline evaluation, updates, final evaluation. Whatever was done before in this folder is taken up, not done
 * again.
 * @returns how it ended. @throws AppError what ended it by failing; the journal says so too.
 */
export async function train(on: Context, rawSpec: Record<string, unknown>): Promise<Outcome> {
  const { recall, log } = on
  const from = lastState(on)
  begin(on, rawSpec, from?.step ?? 0)
  try {
    await phases(on, from)
    recall.emit({ type: 'run.finished', outcome: 'completed', reason: null })
    log('completed')
    return 'completed'
  } catch (failure) {
    if (failure instanceof Ended) {
      recall.emit({ type: 'run.finished', outcome: failure.outcome, reason: failure.message })
      log(failure.message)
      return failure.outcome
    }
    const error = toAppError(failure)
    // A full disk refuses this event as well, and the run goes on from its last checkpoint once there is room: it has not failed.
    if (error.code !== 'disk_full')
      recall.emit({ type: 'run.finished', outcome: 'failed', reason: error.message })
    throw error
  }
}

function begin(on: Context, rawSpec: Record<string, unknown>, fromStep: number): void {
  const { spec, recall, log } = on
  const specSha256 = sha256(canonicalJson(rawSpec))
  const host = hostname()
  const versions = { trainer: '0.1.0', node: process.versions.node }
  if (recall.started === null) {
    recall.emit({ type: 'run.started', spec: rawSpec, specSha256, host, versions, seed: spec.trainer.seed })
    log(`run ${spec.run} (${spec.name}) started on ${spec.suite.name}, seed ${spec.trainer.seed}`)
    return
  }
  if (recall.started.specSha256 !== specSha256)
    throw new AppError(
      'spec_frozen',
      `The spec in ${on.folder.spec} is not the one that this run started with.`,
    )
  recall.emit({ type: 'run.resumed', host, versions, fromStep })
  log(`run ${spec.run} goes on after step ${fromStep}`)
}

async function phases(on: Context, from: TrainerState | null): Promise<void> {
  const { spec, control, grader } = on
  const { updates, evalDraws, paceMs } = spec.trainer
  const tasks = tasksFrom(await grader.tasks(), spec.suite.name)
  const initial = initialParameters(vocabularyOf(tasks))
  const chooser = new Chooser(spec, on.recall, tasks)
  if (evalDraws > 0) await stage(on, 'baseline', () => evaluate(on, 'baseline', initial, tasks))
  let state = from !== null && sameHoles(from.parameters, initial) ? from : untrained(on, initial)
  await stage(on, 'grpo', async () => {
    checkpoint(on, state)
    while (state.step < updates) {
      control.checkBetweenSteps(`after step ${state.step}`)
      state = await trainStep(on, state, initial, chooser.of(state.step + 1))
      if (state.step % Math.ceil(updates / checkpointsKept) === 0 || state.step === updates)
        checkpoint(on, state)
      await control.pause(paceMs)
    }
  })
  control.checkBetweenSteps(`after step ${state.step}`)
  if (evalDraws > 0) await stage(on, 'final_eval', () => evaluate(on, 'final', state.parameters, tasks))
}

async function stage(on: Context, name: string, work: () => Promise<void>): Promise<void> {
  const { recall } = on
  if (recall.finishedStages.has(name)) return
  recall.emit({ type: 'stage.started', stage: name })
  await work()
  recall.emit({ type: 'stage.finished', stage: name, outcome: 'completed' })
}

function checkpoint({ folder, recall, spec }: Context, state: TrainerState): void {
  saveCheckpoint(folder, spec.run, state)
  recall.emit({
    type: 'checkpoint',
    path: `checkpoints/step-${state.step}.json`,
    step: state.step,
    sha256: parametersSha256(state.parameters),
    holds: checkpointHolds,
  })
}

/** The newest state that the journal names and the disk still holds. */
function lastState({ folder, recall, spec }: Context): TrainerState | null {
  for (const { step, sha256: hash } of recall.checkpoints.toReversed()) {
    const state = loadCheckpoint(folder, spec.run, step)
    if (state !== null && parametersSha256(state.parameters) === hash) return state
  }
  return null
}

function untrained({ spec }: Context, initial: Parameters): TrainerState {
  return {
    step: 0,
    parameters: initial,
    optimizer: initialOptimizer(initial),
    generator: trainingRandom(spec.trainer.seed).state,
  }
}

import { evalRolloutId, rolloutId } from '#shared/base/ids.ts'
import { Random } from '#shared/grpo/random.ts'
import type { Batch, BatchRollout } from './batch.ts'
import type { TrainerState } from './checkpoint.ts'
import { allLogProbs, type Parameters, writeSketch } from './policy/policy.ts'
import { inTurn, type Task } from './policy/sketch.ts'
import { countTokens } from './program/completion.ts'
import { keepCompletion, type RunFolder } from './run-folder.ts'

/** Generates the groups of one step, group by group; group g has the g-th task. */
export function generateStep(
  folder: RunFolder,
  run: string,
  state: TrainerState,
  plan: { step: number; prompts: readonly Task[]; groupSize: number },
): Batch {
  const random = new Random(state.generator)
  const logProbs = allLogProbs(state.parameters)
  const rollouts = plan.prompts.flatMap((task, group) =>
    Array.from({ length: plan.groupSize }, (_, index) => ({
      rollout: rolloutId(run, plan.step, group, index),
      group,
      index,
      task: task.id,
      ...write(folder, task, logProbs, random),
    })),
  )
  return { v: 1, key: `step/${plan.step}`, rollouts, generatorAfter: random.state }
}

/**
 * Generates the fixed draws of an evaluation. Draw i has a generator of its own, seeded by i alone: every policy, arm and training seed
 * meets the same chance, so that their rates can be compared in pairs.
 */
export function generateDraws(
  folder: RunFolder,
  run: string,
  parameters: Parameters,
  plan: { policy: string; tasks: readonly Task[]; draws: number },
): Batch {
  const logProbs = allLogProbs(parameters)
  const rollouts = Array.from({ length: plan.draws }, (_, draw): BatchRollout => {
    const task = inTurn(plan.tasks, draw)
    const rollout = evalRolloutId(run, plan.policy, task.id, draw)
    const written = write(folder, task, logProbs, evaluationRandom(draw))
    return { rollout, group: null, index: draw, task: task.id, ...written }
  })
  return { v: 1, key: `eval/${plan.policy}`, rollouts, generatorAfter: null }
}

/** The generator of a run's first step. */
export const trainingRandom = (seed: number): Random => Random.of(seed, 'train')

/** The generator of an evaluation's draw. */
export const evaluationRandom = (draw: number): Random => Random.of('evaluation', draw)

function write(folder: RunFolder, { sketch }: Task, logProbs: Parameters, random: Random) {
  const { decisions, text, truncated } = writeSketch(sketch, logProbs, random)
  const completionSha256 = keepCompletion(folder, text)
  return { completionSha256, tokens: countTokens(text), truncated, decisions }
}

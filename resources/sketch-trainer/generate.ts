import { evalRolloutId, rolloutId } from '#shared/base/ids.ts'
import { Random } from '#shared/grpo/random.ts'
import type { Batch, BatchRollout } from './batch.ts'
import type { TrainerState } from './checkpoint.ts'
import { allLogProbs, drawSketch, type Parameters } from './policy/policy.ts'
import { countTokens, renderCompletion } from './program/completion.ts'
import { drawStyle } from './program/style.ts'
import { keepCompletion, type RunFolder } from './run-folder.ts'

/** Generates the groups of one step, group by group; group g has the g-th prompt, in turn. */
export function generateStep(
  folder: RunFolder,
  run: string,
  state: TrainerState,
  plan: { step: number; prompts: readonly string[]; groupSize: number },
): Batch {
  const random = new Random(state.generator)
  const logProbs = allLogProbs(state.parameters)
  const rollouts = plan.prompts.flatMap((task, group) =>
    Array.from({ length: plan.groupSize }, (_, index) => ({
      rollout: rolloutId(run, plan.step, group, index),
      group,
      index,
      task,
      ...write(folder, logProbs, random),
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
  plan: { policy: string; tasks: readonly string[]; draws: number },
): Batch {
  const logProbs = allLogProbs(parameters)
  const rollouts = Array.from({ length: plan.draws }, (_, draw): BatchRollout => {
    const task = plan.tasks[draw % plan.tasks.length] ?? ''
    const random = Random.of('evaluation', draw)
    const rollout = evalRolloutId(run, plan.policy, task, draw)
    return { rollout, group: null, index: draw, task, ...write(folder, logProbs, random) }
  })
  return { v: 1, key: `eval/${plan.policy}`, rollouts, generatorAfter: null }
}

function write(folder: RunFolder, logProbs: ReturnType<typeof allLogProbs>, random: Random) {
  const { decisions, choices } = drawSketch(logProbs, random)
  const { text, truncated } = renderCompletion(choices, drawStyle(random))
  const completionSha256 = keepCompletion(folder, text)
  return { completionSha256, tokens: countTokens(text), truncated, decisions }
}

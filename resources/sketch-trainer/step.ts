import { performance } from 'node:perf_hooks'
import { AppError } from '#shared/base/errors.ts'
import { groupAdvantages } from '#shared/grpo/advantage.ts'
import type { EventBody } from '#shared/journal/events.ts'
import { type Batch, generatedEvents, loadPending, savePending } from './batch.ts'
import type { TrainerState } from './checkpoint.ts'
import type { Context } from './context.ts'
import { generateStep } from './generate.ts'
import { memoryEvent } from './memory.ts'
import type { Parameters } from './policy/policy.ts'
import type { Task } from './policy/sketch.ts'
import { grpoUpdate } from './policy/update.ts'
import type { Graded } from './recall.ts'
import { rewardOf } from './reward.ts'
import { readCompletion } from './run-folder.ts'

/** One training step: generate (or take up the saved groups), grade until every rollout has a number, update. */
export async function trainStep(
  on: Context,
  before: TrainerState,
  initial: Parameters,
  prompts: readonly Task[],
): Promise<TrainerState> {
  const { spec, folder, recall } = on
  const { groupSize } = spec.trainer
  const step = before.step + 1
  const startedAt = performance.now()
  recall.emit({ type: 'step.started', step, prompts: prompts.map(({ id }) => id), groupSize })
  const batch =
    loadPending(folder, `step/${step}`) ??
    generateStep(folder, spec.run, before, { step, prompts, groupSize })
  savePending(folder, batch)
  recall.emit(...generatedEvents(batch, step))
  const generatedAt = performance.now()
  const grades = await gradeStep(on, batch, step)
  const gradedAt = performance.now()
  const learned = learn(on, before, initial, batch, grades)
  const stepMs = {
    generate: Math.round(generatedAt - startedAt),
    grade: Math.round(gradedAt - generatedAt),
    update: Math.round(performance.now() - gradedAt),
  }
  recall.emit(memoryEvent(), { ...learned.event, stepMs })
  on.log(summary(learned.event, grades, spec.trainer.updates))
  return learned.after
}

function gradeStep(on: Context, batch: Batch, step: number): Promise<Map<string, Graded>> {
  const { spec, folder, grader } = on
  return grader.gradeAll(
    batch.rollouts.map(({ rollout, task, completionSha256 }) => ({
      id: rollout,
      task,
      completion: readCompletion(folder, completionSha256) ?? '',
    })),
    ({ id }, graded) => ({
      type: 'rollout.graded',
      rollout: id,
      ...graded,
      ...rewardOf(graded, spec.trainer.shaping),
      advantage: null,
    }),
    `in step ${step}`,
  )
}

type Finished = Omit<Extract<EventBody, { type: 'step.finished' }>, 'stepMs'>

function learn(
  { spec }: Context,
  before: TrainerState,
  initial: Parameters,
  batch: Batch,
  grades: Map<string, Graded>,
): { event: Finished; after: TrainerState } {
  const { groupsPerStep, learningRate, clip, shaping } = spec.trainer
  const step = before.step + 1
  const totals: number[] = []
  const advantages: Record<string, number> = {}
  let silentGroups = 0
  for (let group = 0; group < groupsPerStep; group++) {
    const members = batch.rollouts.filter((one) => one.group === group)
    const rewards = members.map(({ rollout }) => {
      const graded = grades.get(rollout)
      return graded === undefined ? null : rewardOf(graded, shaping).total
    })
    const result = groupAdvantages(rewards)
    // Cannot happen, since grading waits for every number; but training on silence is the one thing that must not.
    if (result.state === 'blocked')
      throw new AppError(
        'internal',
        `${result.missing} rollouts of step ${step} reached the update without a reward.`,
      )
    if (result.state === 'silent') silentGroups += 1
    members.forEach(({ rollout }, i) => {
      advantages[rollout] = result.advantages[i] ?? 0
    })
    for (const reward of rewards) if (reward !== null) totals.push(reward)
  }
  const samples = batch.rollouts.map(({ rollout, group, decisions }) => ({
    group: group ?? 0,
    decisions,
    advantage: advantages[rollout] ?? 0,
  }))
  const update = grpoUpdate(before, initial, samples, { learningRate, clip })
  const { parameters, optimizer, loss, gradNorm, kl, entropy, parameterDelta } = update
  const after = { step, parameters, optimizer, generator: batch.generatorAfter ?? before.generator }
  const event: Finished = {
    type: 'step.finished',
    step,
    ...{ loss, gradNorm, kl, entropy, lr: learningRate, parameterDelta },
    ...spread(totals),
    silentGroups,
    groups: groupsPerStep,
    advantages,
  }
  return { event, after }
}

/** Mean and sample standard deviation of the step's rewards. */
function spread(values: readonly number[]): { rewardMean: number; rewardStd: number } {
  const rewardMean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - rewardMean) ** 2, 0)
  return { rewardMean, rewardStd: Math.sqrt(squares / (values.length - 1)) }
}

function summary(event: Finished, grades: Map<string, Graded>, updates: number): string {
  const passed = [...grades.values()].filter(({ grade }) => grade.status === 'passed').length
  const figures = [
    `reward ${event.rewardMean?.toFixed(3)}`,
    `passed ${passed} of ${grades.size}`,
    `silent groups ${event.silentGroups} of ${event.groups}`,
    `grad ${event.gradNorm?.toFixed(3)}`,
    `kl ${event.kl?.toFixed(2)}`,
    `entropy ${event.entropy?.toFixed(2)}`,
  ]
  return `step ${event.step} of ${updates}: ${figures.join(', ')}`
}

import { generatedEvents, loadPending, savePending } from './batch.ts'
import type { Context } from './context.ts'
import { generateDraws } from './generate.ts'
import type { Parameters } from './policy/policy.ts'
import type { Task } from './policy/sketch.ts'
import { readCompletion } from './run-folder.ts'

/** Grades the fixed draws of one policy with the run's own verifier, for the record: nothing is learned from them. */
export async function evaluate(
  on: Context,
  policy: 'baseline' | 'final',
  parameters: Parameters,
  tasks: readonly Task[],
): Promise<void> {
  const { spec, folder, recall, grader, log } = on
  const planned = spec.trainer.evalDraws
  recall.emit({ type: 'eval.started', policy, planned })
  const batch =
    loadPending(folder, `eval/${policy}`) ??
    generateDraws(folder, spec.run, parameters, { policy, tasks, draws: planned })
  savePending(folder, batch)
  recall.emit(...generatedEvents(batch, null))
  const byId = new Map(batch.rollouts.map((one) => [one.rollout, one]))
  const grades = await grader.gradeAll(
    batch.rollouts.map(({ rollout, task, completionSha256 }) => ({
      id: rollout,
      task,
      completion: readCompletion(folder, completionSha256) ?? '',
    })),
    ({ id, task }, { grade }) => ({
      type: 'eval.draw',
      policy,
      task,
      drawSeed: byId.get(id)?.index ?? 0,
      rollout: id,
      grade,
    }),
    `during the ${policy} evaluation`,
  )
  const passed = [...grades.values()].filter(({ grade }) => grade.status === 'passed').length
  recall.emit({ type: 'eval.finished', policy, planned, drawn: grades.size, passed })
  log(`${policy} evaluation: ${passed} of ${grades.size} draws pass the run’s suite`)
}

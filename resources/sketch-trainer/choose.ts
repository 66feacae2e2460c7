import { rolloutId } from '#shared/base/ids.ts'
import type { SketchRunSpec } from '#shared/domain/run.ts'
import { Random } from '#shared/grpo/random.ts'
import { byDifficulty } from '#shared/selection/difficulty.ts'
import { afterGroup, beginSelection, type SelectionState, selectTasks } from '#shared/selection/selection.ts'
import { inTurn, type Task } from './policy/sketch.ts'
import type { Recall } from './recall.ts'

/** Choosing has a generator of its own, so that it takes nothing from what the policy draws. */
export const choosingRandom = (seed: number, step: number): (() => number) => {
  const random = Random.of(seed, 'choose', step)
  return () => random.float()
}

/**
 * Which task each group of a step gets: by the spec's selection, else each task in turn. What it goes by is a function of the journal, so that a
 * run that was cut chooses on as it would have.
 */
export class Chooser {
  private readonly spec: SketchRunSpec
  private readonly recall: Recall
  private readonly tasks: readonly Task[]
  private state: SelectionState | null = null
  /** The last step whose groups the state knows. */
  private known = 0

  constructor(spec: SketchRunSpec, recall: Recall, tasks: readonly Task[]) {
    this.spec = spec
    this.recall = recall
    this.tasks = tasks
  }

  /** The tasks of a step all of whose predecessors are graded. */
  of(step: number): Task[] {
    const { selection, groupsPerStep, groupSize, seed, updates } = this.spec.trainer
    if (!selection) return Array.from({ length: groupsPerStep }, (_, group) => inTurn(this.tasks, group))
    const state = this.upTo(step - 1)
    const progress = (step - 1) / updates
    const random = choosingRandom(seed, step)
    const chosen = selectTasks(selection, state, { count: groupsPerStep, groupSize, progress, random })
    const byId = new Map(this.tasks.map((task) => [task.id, task]))
    return chosen.flatMap((id) => byId.get(id) ?? [])
  }

  private upTo(step: number): SelectionState {
    const { spec, recall } = this
    const { selection, groupSize } = spec.trainer
    if (!selection) throw new RangeError('the run chooses nothing')
    let state = this.state ?? this.begin()
    for (; this.known < step; this.known += 1) {
      const at = this.known + 1
      for (const [group, task] of (recall.prompts.get(at) ?? []).entries()) {
        const passed = Array.from({ length: groupSize }, (_, index) => {
          const graded = recall.gradeOf(rolloutId(spec.run, at, group, index))
          return graded === null ? null : graded.grade.status === 'passed'
        })
        state = afterGroup(selection, state, task, passed)
      }
    }
    this.state = state
    return state
  }

  private begin(): SelectionState {
    const { spec, recall, tasks } = this
    const { selection } = spec.trainer
    if (!selection) throw new RangeError('the run chooses nothing')
    const anchors = new Map(
      [...recall.baseline].map(([task, { passed, graded }]) => [task, graded === 0 ? null : passed / graded]),
    )
    const ids = tasks.map(({ id }) => id)
    // The launch let nothing through whose controls do not hold: a label that nothing meets yet is still a right one.
    const measured = ids.map((task) => ({
      task,
      ...(recall.baseline.get(task) ?? { passed: 0, graded: 0 }),
      confirmed: true,
    }))
    recall.emit({
      type: 'alert',
      code: 'task_difficulty',
      level: 'info',
      text: `Tasks are chosen by ${selection.by}, from what the baseline measured.`,
      evidence: { ...byDifficulty(measured), selection },
    })
    return beginSelection(selection, ids, anchors)
  }
}

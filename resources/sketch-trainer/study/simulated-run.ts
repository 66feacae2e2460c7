import type { SelectionSpec } from '#shared/domain/selection.ts'
import { groupAdvantages } from '#shared/grpo/advantage.ts'
import { afterGroup, beginSelection, selectTasks } from '#shared/selection/selection.ts'
import { choosingRandom } from '../choose.ts'
import { evaluationRandom, trainingRandom } from '../generate.ts'
import { rungs, taskId } from '../ladder/parts.ts'
import { allLogProbs, initialParameters, type Parameters, writeSketch } from '../policy/policy.ts'
import { inTurn, type Picks, type Task, vocabularyOf } from '../policy/sketch.ts'
import { grpoUpdate, initialOptimizer, type Sample } from '../policy/update.ts'
import { isRight, ladderSketch, passChance } from '../program/ladder.ts'

/** The knobs of a run on the ladder, as its spec would name them. */
type LadderRun = {
  seed: number
  selection: SelectionSpec
  updates: number
  groupsPerStep: number
  groupSize: number
  learningRate: number
  clip: number
  evalDraws: number
}

export type SimulatedStep = {
  step: number
  tasks: string[]
  /** Passes of each group, in the order of the tasks. */
  passes: number[]
  /** Mean over the ladder's tasks of the exact chance of a pass, after the update. */
  passRate: number
  parameters: Parameters
}

const names = Object.keys(rungs)
const nameOf = new Map(names.map((name) => [taskId(name), name]))

const ladderTasks: readonly Task[] = names.flatMap((name) => {
  const sketch = ladderSketch(name)
  return sketch === null ? [] : [{ id: taskId(name), sketch }]
})

/** Mean over the ladder's tasks of the exact chance that the policy passes. */
function passRateOf(parameters: Parameters): number {
  const logProbs = allLogProbs(parameters)
  return names.reduce((sum, name) => sum + passChance(name, logProbs), 0) / names.length
}

/**
 * A run of the embedded trainer on the ladder with everything but the journal, the disk and the verifier: the same draws, choices, advantages and
 * updates, graded by what the ladder's programs are known to do. `ladder-run.test.ts` compares it with the real trainer and the real verifier.
 */
export function simulateRun(run: LadderRun): SimulatedStep[] {
  const { seed, selection, updates, groupsPerStep, groupSize, learningRate, clip } = run
  const initial = initialParameters(vocabularyOf(ladderTasks))
  const byId = new Map(ladderTasks.map((task) => [task.id, task]))
  const random = trainingRandom(seed)
  let selected = beginSelection(selection, [...byId.keys()], baseline(initial, run.evalDraws))
  let state = { parameters: initial, optimizer: initialOptimizer(initial) }
  const steps: SimulatedStep[] = []
  for (let step = 1; step <= updates; step += 1) {
    const tasks = selectTasks(selection, selected, {
      count: groupsPerStep,
      groupSize,
      progress: (step - 1) / updates,
      random: choosingRandom(seed, step),
    })
    const logProbs = allLogProbs(state.parameters)
    const samples: Sample[] = []
    const passes: number[] = []
    tasks.forEach((id, group) => {
      const task = byId.get(id)
      if (!task) return
      const drawn = Array.from({ length: groupSize }, () => writeSketch(task.sketch, logProbs, random))
      const passed = drawn.map(({ picks }) => right(id, picks))
      const found = groupAdvantages(passed.map(Number))
      if (found.state === 'blocked') throw new RangeError('a simulated grade is silent')
      drawn.forEach(({ decisions }, i) => {
        samples.push({ group, decisions, advantage: found.advantages[i] ?? 0 })
      })
      passes.push(passed.filter(Boolean).length)
      selected = afterGroup(selection, selected, id, passed)
    })
    state = grpoUpdate(state, initial, samples, { learningRate, clip })
    steps.push({ step, tasks, passes, passRate: passRateOf(state.parameters), parameters: state.parameters })
  }
  return steps
}

/** Pass rate by task over the fixed draws of the untrained policy, as the baseline stage measures it; null where a task had none. */
function baseline(initial: Parameters, draws: number): Map<string, number | null> {
  const logProbs = allLogProbs(initial)
  const counts = new Map(ladderTasks.map(({ id }) => [id, { passed: 0, graded: 0 }]))
  for (let draw = 0; draw < draws; draw += 1) {
    const { id, sketch } = inTurn(ladderTasks, draw)
    const count = counts.get(id)
    if (!count) continue
    count.graded += 1
    if (right(id, writeSketch(sketch, logProbs, evaluationRandom(draw)).picks)) count.passed += 1
  }
  return new Map([...counts].map(([id, { passed, graded }]) => [id, graded === 0 ? null : passed / graded]))
}

const right = (id: string, picks: Picks): boolean => isRight(nameOf.get(id) ?? '', picks)

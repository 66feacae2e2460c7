import type { SelectionSpec } from '../domain/selection.ts'
import { type Belief, mixedChance, observe, priorFrom } from './belief.ts'

/** Where a run stands: what is believed of each task now, and where each began. */
export type SelectionState = {
  beliefs: ReadonlyMap<string, Belief>
  /** Measured pass rate of the initial policy by task; null where nothing was measured. */
  anchors: ReadonlyMap<string, number | null>
}

type Slots = {
  /** How many groups are to be given a task. */
  count: number
  groupSize: number
  /** Share of the run that is done, from 0 to 1. */
  progress: number
  /** Numbers in [0, 1). */
  random: () => number
}

/** A curriculum has every task unlocked after this share of the run. */
const unlockedBy = 0.6

export function beginSelection(
  spec: SelectionSpec,
  tasks: readonly string[],
  anchors: ReadonlyMap<string, number | null>,
): SelectionState {
  const known = new Map(tasks.map((task) => [task, spec.anchor?.[task] ?? anchors.get(task) ?? null]))
  return {
    anchors: known,
    beliefs: new Map([...known].map(([task, phi]) => [task, priorFrom(phi, spec)])),
  }
}

/** The state after one group of a task. Nulls never update. */
export function afterGroup(
  spec: SelectionSpec,
  state: SelectionState,
  task: string,
  passed: readonly (boolean | null)[],
): SelectionState {
  const belief = state.beliefs.get(task)
  if (!belief) return state
  const beliefs = new Map(state.beliefs)
  beliefs.set(task, observe(belief, passed, spec.rememberGroups * passed.length))
  return { ...state, beliefs }
}

/** The task of each group of the next step. */
export function selectTasks(spec: SelectionSpec, state: SelectionState, slots: Slots): string[] {
  switch (spec.by) {
    case 'uniform':
      return deal([...state.beliefs.keys()], slots)
    case 'curriculum':
      return deal(unlocked(state, slots.progress), slots)
    case 'mixed':
      return mixed(spec, state, slots)
  }
}

/** Each of the tasks once in a random order, then again, so that none is twice where another was not once. */
function deal(tasks: readonly string[], { count, random }: Slots): string[] {
  const dealt: string[] = []
  while (dealt.length < count) {
    const left = [...tasks]
    while (left.length > 0 && dealt.length < count)
      dealt.push(...left.splice(Math.floor(random() * left.length), 1))
  }
  return dealt
}

/** The easiest tasks first, by the anchor; one more with each equal part of the run's first `unlockedBy`. */
function unlocked({ anchors }: SelectionState, progress: number): string[] {
  const byEase = [...anchors].toSorted((a, b) => (b[1] ?? 0.5) - (a[1] ?? 0.5)).map(([task]) => task)
  return byEase.slice(0, Math.max(1, Math.ceil(byEase.length * Math.min(1, progress / unlockedBy))))
}

/**
 * Tasks by the chance that their group is mixed, each slot in proportion to it. A share of the slots is given evenly over all tasks: what is
 * believed of a task that is never tried would stay as it was, although the policy changes, so that 0 and 1 are looked at again.
 */
function mixed(spec: SelectionSpec, { beliefs }: SelectionState, slots: Slots): string[] {
  const { count, groupSize, random } = slots
  const tasks = [...beliefs.keys()]
  const utilities = [...beliefs.values()].map((belief) => mixedChance(belief, groupSize))
  return Array.from({ length: count }, () =>
    random() < spec.explore
      ? at(tasks, Math.floor(random() * tasks.length))
      : weighted(tasks, utilities, random()),
  )
}

function weighted(tasks: readonly string[], weights: readonly number[], point: number): string {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  if (!(total > 0)) return at(tasks, Math.floor(point * tasks.length))
  let left = point * total
  for (const [i, weight] of weights.entries()) {
    left -= weight
    if (left < 0) return at(tasks, i)
  }
  return at(tasks, tasks.length - 1)
}

function at(tasks: readonly string[], i: number): string {
  const task = tasks[i]
  if (task === undefined) throw new RangeError('there is no task to choose from')
  return task
}

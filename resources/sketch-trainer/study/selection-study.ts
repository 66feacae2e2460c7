/**
 * `node selection-study.ts [--seeds N] [--updates N] [--learning-rate X] [--explore X]`: the embedded trainer on the ladder under each way of choosing tasks, with
 * the same seeds and the same budget. Prints one JSON line a run.
 */
import { parseArgs } from 'node:util'
import { SelectionSpec } from '#shared/domain/selection.ts'
import { type SimulatedStep, simulateRun } from './simulated-run.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    updates: { type: 'string', default: '120' },
    'learning-rate': { type: 'string', default: '1.5' },
    explore: { type: 'string', default: '0.3' },
  },
})

const ways = ['uniform', 'curriculum', 'mixed'] as const
/** Groups of eight, as in the published figures; the rest are the trainer's defaults. */
const knobs = { groupsPerStep: 8, groupSize: 8, clip: 0.2, evalDraws: 128 }
const targets = [0.6, 0.75, 0.9]

/** Rollouts until the mean pass rate is first at the target; null where it never was. */
function rolloutsTo(target: number, steps: readonly SimulatedStep[]): number | null {
  const reached = steps.find(({ passRate }) => passRate >= target)
  return reached ? reached.step * knobs.groupsPerStep * knobs.groupSize : null
}

for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
  for (const by of ways) {
    const steps = simulateRun({
      ...knobs,
      seed,
      updates: Number(values.updates),
      learningRate: Number(values['learning-rate']),
      selection: SelectionSpec.parse({ by, explore: Number(values.explore) }),
    })
    const groups = steps.flatMap(({ passes }) => passes)
    const line = {
      seed,
      by,
      rollouts: groups.length * knobs.groupSize,
      groups: groups.length,
      silentGroups: groups.filter((passes) => passes === 0 || passes === knobs.groupSize).length,
      rolloutsTo: Object.fromEntries(targets.map((target) => [target, rolloutsTo(target, steps)])),
      passRate: steps.at(-1)?.passRate ?? null,
    }
    console.log(JSON.stringify(line))
  }
}

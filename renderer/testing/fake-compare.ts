import type { CompareMetric, CompareSeries } from '#shared/ipc/contract.ts'
import type { StepRow } from '#shared/journal/state.ts'
import type { FakeCore } from './fake-core.ts'

const figureOf = (row: StepRow, metric: CompareMetric): number | null => {
  if (metric === 'silentShare')
    return row.silentGroups === null || row.groups === null ? null : row.silentGroups / row.groups
  if (metric === 'passShare') {
    const tasks = Object.values(row.tasks)
    const graded = tasks.reduce((sum, task) => sum + task.graded, 0)
    return graded === 0 ? null : tasks.reduce((sum, task) => sum + task.passed, 0) / graded
  }
  return row[metric]
}

/** The one run that the fake core has, under any name: another run is it with other knobs, a little worse and a little later. */
export function fakeSeries(core: FakeCore, run: string, metric: CompareMetric): CompareSeries {
  const own = run === core.spec.run
  const rows = own ? core.state.steps : core.state.steps.slice(0, -3)
  let rollouts = 0
  const trainer = own ? core.spec.trainer : { ...core.spec.trainer, learningRate: 0.5, seed: 7 }
  return {
    run,
    name: own ? core.spec.name : 'slower',
    spec: { ...core.spec, run, trainer, name: own ? core.spec.name : 'slower' },
    step: rows.map(({ step }) => step),
    rollouts: rows.map((row) => {
      rollouts += row.generated
      return rollouts
    }),
    atMs: rows.map(({ finishedAt }) =>
      finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(core.state.startedAt ?? finishedAt),
    ),
    value: rows.map((row) => {
      const value = figureOf(row, metric)
      return value === null || own ? value : value * 0.8
    }),
  }
}

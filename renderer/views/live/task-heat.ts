import type { StepRow } from '#shared/journal/state.ts'

export type TaskRow = {
  task: string
  /** Full passes of the graded, over all steps. */
  passed: number
  graded: number
  /** Variance of the pass rate over the steps that drew the task; null where fewer than two did. */
  variance: number | null
}

export type TaskOrder = 'variance' | 'rate' | 'name'

/** Every task of a run with how it went over the steps. */
export function taskRows(steps: readonly StepRow[], order: TaskOrder): TaskRow[] {
  const rates = new Map<string, { passed: number; graded: number; shares: number[] }>()
  for (const row of steps) {
    for (const [task, { passed, graded }] of Object.entries(row.tasks)) {
      const held = rates.get(task) ?? { passed: 0, graded: 0, shares: [] }
      held.passed += passed
      held.graded += graded
      if (graded > 0) held.shares.push(passed / graded)
      rates.set(task, held)
    }
  }
  const rows = [...rates].map(([task, { passed, graded, shares }]) => ({
    task,
    passed,
    graded,
    variance: varianceOf(shares),
  }))
  const rate = (row: TaskRow) => (row.graded === 0 ? 2 : row.passed / row.graded)
  return rows.sort((a, b) => {
    const by =
      order === 'variance'
        ? (b.variance ?? -1) - (a.variance ?? -1)
        : order === 'rate'
          ? rate(a) - rate(b)
          : 0
    return by || a.task.localeCompare(b.task)
  })
}

function varianceOf(values: number[]): number | null {
  if (values.length < 2) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

/** Pass rates of a task in columns of steps: what is drawn together keeps passes and grades, so a column's rate is over all of it. */
export function heatCells(
  steps: readonly StepRow[],
  task: string,
  columnOf: (step: number) => number,
): Map<number, { passed: number; graded: number }> {
  const cells = new Map<number, { passed: number; graded: number }>()
  for (const row of steps) {
    const found = row.tasks[task]
    if (!found) continue
    const column = columnOf(row.step)
    const held = cells.get(column) ?? { passed: 0, graded: 0 }
    cells.set(column, { passed: held.passed + found.passed, graded: held.graded + found.graded })
  }
  return cells
}

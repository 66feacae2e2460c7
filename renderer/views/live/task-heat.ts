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

/** `drawn` in so many steps, and graded in `steps` of them. */
type Sums = { passed: number; graded: number; drawn: number; steps: number; shares: number; squares: number }

/**
 * Every task of a run with how it went over the steps, kept from one look to the next: a look costs the steps that changed, which it tells by their
 * rows being other objects.
 */
export class TaskTally {
  private seen: StepRow[] = []
  private readonly sums = new Map<string, Sums>()

  take(steps: readonly StepRow[]): this {
    let from = 0
    while (from < steps.length && this.seen[from] === steps[from]) from += 1
    for (const row of this.seen.splice(from)) this.count(row, -1)
    for (const row of steps.slice(from)) {
      this.count(row, 1)
      this.seen.push(row)
    }
    return this
  }

  rows(order: TaskOrder): TaskRow[] {
    const rows = [...this.sums]
      .filter(([, { drawn }]) => drawn > 0)
      .map(
        ([task, sums]): TaskRow => ({
          task,
          passed: sums.passed,
          graded: sums.graded,
          variance: varianceOf(sums),
        }),
      )
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

  private count(row: StepRow, sign: 1 | -1): void {
    for (const [task, { passed, graded }] of Object.entries(row.tasks)) {
      const held = this.sums.get(task) ?? { passed: 0, graded: 0, drawn: 0, steps: 0, shares: 0, squares: 0 }
      this.sums.set(task, held)
      held.drawn += sign
      held.passed += sign * passed
      held.graded += sign * graded
      if (graded === 0) continue
      const share = passed / graded
      held.steps += sign
      held.shares += sign * share
      held.squares += sign * share * share
    }
  }
}

/** Of the steps' shares about their mean. Sums of squares lose the last digits of a small variance, which no order of rows depends on. */
function varianceOf({ steps, shares, squares }: Sums): number | null {
  if (steps < 2) return null
  return Math.max(0, (squares - shares ** 2 / steps) / (steps - 1))
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

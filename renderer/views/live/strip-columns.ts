import { isGraded, type Status } from '#shared/domain/grade.ts'
import type { StepRow } from '#shared/journal/state.ts'

/** What a pixel of the strip stands for, where marks are too many to be kept: nothing in it is averaged away. */
export type StripColumn = {
  pixel: number
  /** Least and greatest reward of every rollout in it; null where none has one. */
  min: number | null
  max: number | null
  /** Rollouts without a reward, and caught tampering: both are looked for one by one. */
  nulls: number
  tampered: number
  rollouts: number
}

export const nullsOf = ({ byStatus }: StepRow): number =>
  (Object.entries(byStatus) as [Status, number][]).reduce(
    (sum, [status, n]) => (isGraded(status) ? sum : sum + n),
    0,
  )

const least = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.min(a, b))
const greatest = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/**
 * @param rows ascending steps. @param nulls of each of them, as `nullsOf` counts. @param pixelOf where a step stands; steps that share a pixel are drawn
 * as one column. @param skip whether a step is drawn mark by mark instead.
 */
export function stripColumns(
  rows: readonly StepRow[],
  nulls: readonly number[],
  pixelOf: (step: number) => number,
  skip: (step: number) => boolean = () => false,
): StripColumn[] {
  const columns: StripColumn[] = []
  for (const [at, row] of rows.entries()) {
    if (skip(row.step)) continue
    const pixel = Math.round(pixelOf(row.step))
    let column = columns.at(-1)
    if (column?.pixel !== pixel) {
      column = { pixel, min: null, max: null, nulls: 0, tampered: 0, rollouts: 0 }
      columns.push(column)
    }
    column.min = least(column.min, row.rewardMin)
    column.max = greatest(column.max, row.rewardMax)
    column.nulls += nulls[at] ?? 0
    column.tampered += row.byStatus.tampered ?? 0
    column.rollouts += row.generated
  }
  return columns
}

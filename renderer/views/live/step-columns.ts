import type { StepRow } from '#shared/journal/state.ts'
import { valueDomain } from '../../components/charts/scale.ts'
import type { Columns } from '../../components/charts/thin.ts'
import type { LiveData } from '../../stores/live-data.ts'

/** A figure of a step; the same function every time, as what it gave is kept under it. */
export type Figure = (row: StepRow) => number | null

const stepOf = (row: StepRow): number => row.step

/** Figures of all steps, as a chart takes them. */
export const columnsOf = (data: LiveData, figures: readonly Figure[]): Columns => ({
  x: data.column(stepOf),
  series: figures.map((figure) => data.column(figure)),
})

/** An axis that holds all of them. */
export function rangeOf(
  data: LiveData,
  figures: readonly Figure[],
  include: number[] = [],
): [number, number] | null {
  const ranges = figures.map((figure) => valueDomain(data.column(figure), include)).filter((range) => range)
  const lows = ranges.map((range) => range?.[0] ?? 0)
  const highs = ranges.map((range) => range?.[1] ?? 0)
  return ranges.length === 0 ? null : [Math.min(...lows), Math.max(...highs)]
}

const parts = new Map<string, Figure>()

/** The mean of one part of the reward: the same function for the same name. */
export function partOf(name: string): Figure {
  const known = parts.get(name) ?? ((row: StepRow) => row.components[name] ?? null)
  parts.set(name, known)
  return known
}

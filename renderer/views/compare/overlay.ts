import type { CompareSeries } from '#shared/ipc/contract.ts'

export const axes = ['step', 'rollouts', 'time'] as const
export type Axis = (typeof axes)[number]

/** Where a run's points stand on an axis; one without a place there (a step still open, by time) is left out. */
export function placed(series: CompareSeries, axis: Axis): { x: number; y: number | null }[] {
  const places = axis === 'step' ? series.step : axis === 'rollouts' ? series.rollouts : series.atMs
  return places.flatMap((x, at) => (x === null ? [] : [{ x, y: series.value[at] ?? null }]))
}

import type { LiveData } from '../../stores/live-data.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { nullsOf, stripColumns } from './strip-columns.ts'
import type { StripLayout } from './strip-layout.ts'

/** Steps whose marks are not held: the span of their rewards, its ends set off, with what is null or tampered below and above. */
export function paintColumns(
  context: CanvasRenderingContext2D,
  data: LiveData,
  layout: StripLayout,
  tokens: Tokens,
): void {
  const [first, last] = [data.placeOf(layout.domain[0]), data.placeOf(layout.domain[1])]
  const rows = data.steps.slice(first, last)
  const nullsOfRows = data.column(nullsOf).slice(first, last)
  const isMarked = (step: number) => data.pointsOf(step).length > 0
  const width = Math.max(1, layout.column)
  for (const { pixel, min, max, nulls, tampered } of stripColumns(rows, nullsOfRows, layout.x.at, isMarked)) {
    const left = pixel - width / 2
    if (min !== null && max !== null) {
      const [top, bottom] = [layout.y.at(max), layout.y.at(min)]
      context.globalAlpha = 0.28
      context.fillStyle = tokens.accent
      context.fillRect(left, top, width, Math.max(1, bottom - top))
      context.globalAlpha = 1
      context.fillRect(left, top - 1, width, 2)
      context.fillRect(left, bottom - 1, width, 2)
    }
    if (nulls > 0) {
      context.fillStyle = tokens.null
      context.fillRect(left, layout.lane.top + 4, width, layout.lane.bottom - layout.lane.top - 8)
    }
    if (tampered > 0) {
      context.fillStyle = tokens.tampered
      context.fillRect(left, layout.y.at(0) + 8, width, 4)
    }
  }
}

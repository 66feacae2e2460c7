import { statuses } from '#shared/domain/grade.ts'
import type { LivePoint } from '#shared/ipc/contract.ts'
import type { MarkStatus } from '../../components/marks/status-info.ts'
import type { LiveData } from '../../stores/live-data.ts'
import { groupShape, markAt, type StripLayout } from './strip-layout.ts'

/** From here on a mark is large enough that two of them in one pixel do not look like one, px. */
const leastApart = 1.6

const kinds: readonly MarkStatus[] = [...statuses, 'pending']

export type PlacedMark = { status: MarkStatus; x: number; y: number }

/**
 * The marks of the steps on the axis, where they are drawn. Where marks are a few pixels of colour, one of several of a status in a pixel stands for all
 * of them: twenty thousand in a corner of a long run's strip are drawn as the few thousand that can be told apart.
 */
export function stripMarks(data: LiveData, layout: StripLayout): PlacedMark[] {
  const shape = groupShape(data)
  const [low, high] = layout.domain
  const seen = new Set<number>()
  const marks: PlacedMark[] = []
  const add = (point: LivePoint) => {
    const { x, y } = markAt(layout, point, shape)
    if (layout.radius < leastApart) {
      const key = (Math.round(x) * 8192 + Math.round(y)) * 16 + kinds.indexOf(point.s)
      if (seen.has(key)) return
      seen.add(key)
    }
    marks.push({ status: point.s, x, y })
  }
  for (const step of data.stepsWithPoints())
    if (step >= low && step <= high) for (const point of data.pointsOf(step)) add(point)
  return marks
}

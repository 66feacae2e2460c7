import type { LivePoint } from '#shared/ipc/contract.ts'
import { plotInset } from '../../components/charts/plot-area.ts'
import { linearScale, type Scale } from '../../components/charts/scale.ts'
import type { LiveData } from '../../stores/live-data.ts'

/** Where everything in the reward strip goes. The lane of what is not graded lies below zero and touches nothing of it. */
export type StripLayout = {
  domain: [number, number]
  width: number
  height: number
  left: number
  right: number
  top: number
  x: Scale
  y: Scale
  lane: { top: number; bottom: number }
  axis: number
  /** Width of one step's column of marks, and radius of a mark, px. */
  column: number
  radius: number
}

const laneHeight = 24
const axisHeight = 17
/** Marks at 1 and at 0 are spread over this many pixels up and down, or a hundred of them would look like one. */
const spread = 7

export function layoutStrip(width: number, height: number, domain: [number, number]): StripLayout {
  const { left, right } = plotInset
  const top = 13
  const x = linearScale(domain, [left, width - right])
  const laneBottom = height - axisHeight
  const column = (x.at(1) - x.at(0)) * 0.8
  return {
    domain,
    width,
    height,
    left,
    right,
    top,
    x,
    y: linearScale([0, 1], [laneBottom - laneHeight - 15, top]),
    lane: { top: laneBottom - laneHeight, bottom: laneBottom },
    axis: height - 3,
    column,
    radius: Math.max(1.3, Math.min(3.4, column / 9)),
  }
}

/** How many groups a step has and how large they are, as far as the points tell. */
export function groupShape(data: LiveData): { groups: number; size: number } {
  let groups = 1
  let size = 1
  for (const step of data.stepsWithPoints().slice(-8)) {
    for (const point of data.pointsOf(step)) {
      groups = Math.max(groups, point.g + 1)
      size = Math.max(size, point.i + 1)
    }
  }
  return { groups, size }
}

/** Centre of a rollout's mark. Its place follows from the rollout alone, so a mark never jumps when others come. */
export function markAt(
  layout: StripLayout,
  point: LivePoint,
  shape: { groups: number; size: number },
): { x: number; y: number } {
  const slot = point.g * shape.size + point.i
  const share = (slot + 0.5) / (shape.groups * shape.size) - 0.5
  const x = layout.x.at(point.step) + share * layout.column
  const jitter = jitterOf(point)
  if (point.r === null) return { x, y: (layout.lane.top + layout.lane.bottom) / 2 + jitter * spread }
  const crowded = point.r === 0 || point.s === 'passed'
  return { x, y: layout.y.at(point.r) + (crowded ? jitter * spread : 0) }
}

/** The point whose mark is nearest to a place, within reach of a hand; null where none is. */
export function pointAt(
  data: LiveData,
  layout: StripLayout,
  px: number,
  py: number,
  reach = 11,
): LivePoint | null {
  const shape = groupShape(data)
  const from = Math.floor(layout.x.invert(px - layout.column / 2 - reach))
  const to = Math.ceil(layout.x.invert(px + layout.column / 2 + reach))
  let nearest: LivePoint | null = null
  let least = reach * reach
  for (let step = from; step <= to; step++) {
    for (const point of data.pointsOf(step)) {
      const { x, y } = markAt(layout, point, shape)
      const distance = (x - px) ** 2 + (y - py) ** 2
      if (distance < least) {
        least = distance
        nearest = point
      }
    }
  }
  return nearest
}

/** In [-1, 1], from the place of the rollout in its run: a low-discrepancy sequence, which spreads neighbours better than chance does. */
function jitterOf({ step, g, i }: LivePoint): number {
  const turn = (step * 7 + g * 3 + i) * 0.618033988749895
  return 2 * (turn - Math.floor(turn)) - 1
}

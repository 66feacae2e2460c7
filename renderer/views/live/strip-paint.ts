import type { StepRow } from '#shared/journal/state.ts'
import { paintStepAxis, paintValueAxis } from '../../components/charts/axes.ts'
import { chartFont } from '../../components/charts/plot-area.ts'
import { thin } from '../../components/charts/thin.ts'
import { paintMark } from '../../components/marks/paint-mark.ts'
import type { LiveData } from '../../stores/live-data.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { columnsOf } from './step-columns.ts'
import { paintColumns } from './strip-column-paint.ts'
import { groupShape, markAt, type StripLayout } from './strip-layout.ts'
import { stripMarks } from './strip-marks.ts'

/** Narrower than this a group's own mean would be a dot among its marks. */
const leastGroupWidth = 7

/** Paints the reward strip: axes, the lane of the ungraded, one mark a rollout, the means. */
export function paintStrip(
  context: CanvasRenderingContext2D,
  data: LiveData,
  layout: StripLayout,
  tokens: Tokens,
): void {
  const { width, height, left, right } = layout
  const size = { width, height }
  const inset = { left, right, top: layout.top, bottom: height - layout.lane.bottom }
  paintLane(context, layout, tokens)
  paintValueAxis(
    context,
    size,
    inset,
    tokens,
    [1, 0.5, 0].map((value) => ({ y: layout.y.at(value), label: String(value) })),
  )
  paintStepAxis(context, size, inset, tokens, layout.x, layout.domain)
  paintBlocks(context, data, layout, tokens)
  context.save()
  context.beginPath()
  context.rect(left, 0, width - left - right, height)
  context.clip()
  paintColumns(context, data, layout, tokens)
  const shape = groupShape(data)
  paintHalos(context, data, layout, shape, tokens)
  for (const { status, x, y } of stripMarks(data, layout))
    paintMark(context, status, x, y, layout.radius, tokens)
  if (layout.column / shape.groups >= leastGroupWidth)
    for (const step of data.stepsWithPoints())
      if (step >= layout.domain[0] && step <= layout.domain[1])
        paintGroupMeans(context, data, step, layout, shape, tokens)
  paintMeanLine(context, data, layout, tokens)
  context.restore()
}

function paintLane(context: CanvasRenderingContext2D, layout: StripLayout, tokens: Tokens): void {
  const { left, right, width, lane } = layout
  context.fillStyle = tokens.raise
  context.beginPath()
  context.roundRect(left, lane.top, width - left - right, lane.bottom - lane.top, 3)
  context.fill()
  context.font = chartFont
  context.fillStyle = tokens.dim
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  context.fillText('null', left - 7, (lane.top + lane.bottom) / 2 + 0.5)
}

/** Steps in which the verifier was silent, as a band from top to lane. */
function paintBlocks(
  context: CanvasRenderingContext2D,
  data: LiveData,
  layout: StripLayout,
  tokens: Tokens,
): void {
  context.fillStyle = tokens.warn
  for (const block of data.head?.blocks ?? []) {
    if (block.step === null) continue
    const width = layout.column / 0.8
    context.globalAlpha = block.until === null ? 0.13 : 0.06
    context.fillRect(
      layout.x.at(block.step) - width / 2,
      layout.top - 8,
      width,
      layout.lane.bottom - layout.top + 8,
    )
  }
  context.globalAlpha = 1
}

/**
 * A ring in the alarm's colour around what the verifier accepted and the audit rejects, set off by a gap: with red-green blindness the two
 * colours are one, and only the shape tells. All rings lie below all marks, so that none hides a neighbour, and where many are they run together.
 */
function paintHalos(
  context: CanvasRenderingContext2D,
  data: LiveData,
  layout: StripLayout,
  shape: { groups: number; size: number },
  tokens: Tokens,
): void {
  const pass = (colour: string, radius: number) => {
    context.fillStyle = colour
    for (const point of data.falseAcceptances) {
      const { x, y } = markAt(layout, point, shape)
      if (layout.radius < 2) context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius)
      else {
        context.beginPath()
        context.arc(x, y, radius, 0, 2 * Math.PI)
        context.fill()
      }
    }
  }
  pass(tokens.tampered, layout.radius * 1.75)
  if (layout.radius >= 2) pass(tokens.panel, layout.radius * 1.28)
}

function paintGroupMeans(
  context: CanvasRenderingContext2D,
  data: LiveData,
  step: number,
  layout: StripLayout,
  shape: { groups: number; size: number },
  tokens: Tokens,
): void {
  const sums = new Map<number, { sum: number; count: number }>()
  for (const { g, r } of data.pointsOf(step)) {
    if (r === null) continue
    const group = sums.get(g) ?? { sum: 0, count: 0 }
    sums.set(g, { sum: group.sum + r, count: group.count + 1 })
  }
  const width = layout.column / shape.groups
  context.strokeStyle = tokens.accent
  context.globalAlpha = 0.75
  context.lineWidth = 1
  context.beginPath()
  for (const [g, { sum, count }] of sums) {
    const x = layout.x.at(step) - layout.column / 2 + g * width
    const y = layout.y.at(sum / count)
    context.moveTo(x + 0.8, y)
    context.lineTo(x + width - 0.8, y)
  }
  context.stroke()
  context.globalAlpha = 1
}

/**
 * What the marks are heights of: the verifier's part of the reward, without shaping. A trainer that does not tell its parts has only the whole.
 */
const testsMean = (row: StepRow): number | null => row.components.tests ?? row.rewardMean

/** The mean of each step. A step without a graded rollout interrupts it. */
function paintMeanLine(
  context: CanvasRenderingContext2D,
  data: LiveData,
  layout: StripLayout,
  tokens: Tokens,
): void {
  const { x: steps, series } = thin(
    columnsOf(data, [testsMean]),
    layout.domain,
    layout.width - layout.left - layout.right,
  )
  const trace = () => {
    context.beginPath()
    let open = false
    for (const [at, mean] of (series[0] ?? []).entries()) {
      if (mean === null) {
        open = false
        continue
      }
      const [x, y] = [layout.x.at(steps[at] ?? 0), layout.y.at(mean)]
      // A step on its own would be a line without length: a short dash shows it.
      if (!open) context.moveTo(x - 3, y)
      context.lineTo(x, y)
      open = true
    }
  }
  context.lineJoin = 'round'
  for (const [colour, width] of [
    [tokens.panel, layout.column < 4 ? 2.4 : 4],
    [tokens.text, layout.column < 4 ? 1 : 1.6],
  ] as const) {
    trace()
    context.strokeStyle = colour
    context.lineWidth = width
    context.stroke()
  }
}

import { useRef } from 'react'
import type { Tokens } from '../../theme/tokens.ts'
import { paintValueAxis } from './axes.ts'
import { ChartCanvas, type Painter } from './chart-canvas.tsx'
import { BarMerge, type Merge } from './merge-bars.ts'
import type { Inset } from './plot-area.ts'
import { linearScale, type Scale } from './scale.ts'
import { type Columns, thin } from './thin.ts'

/**
 * One part of a bar. `hollow` is drawn as an outline with a hatch: a share that is known to be unknown. `hatched` is filled and striped, `lined` filled
 * with fine level lines.
 */
export type Segment = { value: number; token: keyof Tokens; style: 'solid' | 'lined' | 'hollow' | 'hatched' }
export type Bar = { step: number; segments: Segment[] }

/** Steps narrower than this are drawn together, px: thinner bars only make a moiré. */
const leastStepWidth = 3

type Props = {
  /** A step's bar, one object as long as it is the same; null for none. */
  bars: () => readonly (Bar | null)[]
  version: unknown
  domain: [number, number]
  inset: Inset
  /** Where the axis ends; bars beyond it are cut with a notch. */
  max: number
  ticks: { value: number; label: string }[]
  label: string
  /** What stands for several steps where they are too narrow to be told apart: their mean, or the greatest of them. */
  merge?: Merge
  /** A line over the bars, such as their moving mean; a null interrupts it. */
  line?: () => Columns
}

/** Bars of parts over the step axis, in the order of their segments from the bottom. */
export function StackChart({ bars, version, domain, inset, max, ticks, label, merge = 'mean', line }: Props) {
  const merged = useRef(new BarMerge())
  const paint: Painter = (context, size, tokens) => {
    const x = linearScale(domain, [inset.left, size.width - inset.right])
    const y = linearScale([0, max], [size.height - inset.bottom, inset.top])
    paintValueAxis(
      context,
      size,
      inset,
      tokens,
      ticks.map((tick) => ({ y: y.at(tick.value), label: tick.label })),
    )
    const stepWidth = x.at(1) - x.at(0)
    const together = Math.max(1, Math.ceil(leastStepWidth / stepWidth))
    const width = stepWidth * together * (together === 1 ? 0.74 : 1)
    const shown = merged.current.merge(bars(), together, merge)
    context.save()
    context.beginPath()
    context.rect(inset.left, 0, size.width - inset.left - inset.right, size.height)
    context.clip()
    for (const bar of shown)
      if (bar.step > domain[0] - together && bar.step < domain[1] + together)
        paintBar(context, bar, x, y, width, max, tokens)
    if (line) paintLine(context, thin(line(), domain, size.width - inset.left - inset.right), x, y, tokens)
    context.restore()
  }
  return <ChartCanvas paint={paint} version={version} label={label} />
}

function paintLine(
  context: CanvasRenderingContext2D,
  { x: steps, series: [values = []] }: Columns,
  x: Scale,
  y: Scale,
  tokens: Tokens,
): void {
  for (const [colour, width] of [
    [tokens.panel, 3.4],
    [tokens.text, 1.4],
  ] as const) {
    context.beginPath()
    let open = false
    for (const [at, value] of values.entries()) {
      const step = steps[at] ?? 0
      if (value !== null && open) context.lineTo(x.at(step), y.at(value))
      else if (value !== null) context.moveTo(x.at(step), y.at(value))
      open = value !== null
    }
    context.strokeStyle = colour
    context.lineWidth = width
    context.stroke()
  }
}

function paintBar(
  context: CanvasRenderingContext2D,
  bar: Bar,
  x: Scale,
  y: Scale,
  width: number,
  max: number,
  tokens: Tokens,
): void {
  const left = x.at(bar.step) - width / 2
  let base = 0
  for (const segment of bar.segments) {
    const top = Math.min(max, base + segment.value)
    const height = y.at(base) - y.at(top)
    // A thin seam keeps neighbours apart where colours are close; parts too thin for it are drawn whole.
    if (height > 0)
      paintSegment(context, segment, left, y.at(top), width, height > 2.5 ? height - 0.8 : height, tokens)
    base += segment.value
    if (base > max) {
      paintNotch(context, left, y.at(max), width, tokens)
      return
    }
  }
}

function paintSegment(
  context: CanvasRenderingContext2D,
  { style, token }: Segment,
  left: number,
  top: number,
  width: number,
  height: number,
  tokens: Tokens,
): void {
  const colour = tokens[token]
  if (style !== 'hollow') {
    context.fillStyle = colour
    context.fillRect(left, top, width, height)
  }
  if (style === 'lined') paintLines(context, left, top, width, height, tokens)
  if (style === 'solid' || style === 'lined' || (style === 'hatched' && width < 4)) return
  context.save()
  context.beginPath()
  context.rect(left, top, width, height)
  context.clip()
  context.strokeStyle = style === 'hollow' ? colour : tokens.panel
  context.lineWidth = style === 'hollow' ? 0.8 : 1.1
  context.beginPath()
  for (let offset = -height; offset < width; offset += 5) {
    context.moveTo(left + offset, top + height)
    context.lineTo(left + offset + height, top)
  }
  context.stroke()
  context.restore()
  if (style === 'hollow' && width > 3) {
    context.strokeStyle = colour
    context.lineWidth = 1
    context.strokeRect(left + 0.5, top + 0.5, width - 1, Math.max(0, height - 1))
  }
}

/** At the same heights in every bar, so that they run on from one to the next. */
function paintLines(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  height: number,
  tokens: Tokens,
): void {
  context.fillStyle = tokens.panel
  context.globalAlpha = 0.5
  for (let y = Math.ceil(top / 5) * 5; y < top + height - 0.5; y += 5) context.fillRect(left, y, width, 1)
  context.globalAlpha = 1
}

/** A gap near the top of a bar that is cut there: it goes on further than the axis shows. */
function paintNotch(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  width: number,
  tokens: Tokens,
): void {
  context.strokeStyle = tokens.panel
  context.lineWidth = 2
  context.beginPath()
  context.moveTo(left - 1, top + 7)
  context.lineTo(left + width + 1, top + 4)
  context.stroke()
}

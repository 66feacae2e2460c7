import type { Tokens } from '../../theme/tokens.ts'
import { chartFont, type Inset } from './plot-area.ts'
import { type Scale, stepTicks } from './scale.ts'

type Size = { width: number; height: number }

/** Horizontal lines with their labels at the left. */
export function paintValueAxis(
  context: CanvasRenderingContext2D,
  size: Size,
  inset: Inset,
  tokens: Tokens,
  ticks: { y: number; label: string }[],
): void {
  context.font = chartFont
  context.textAlign = 'right'
  context.textBaseline = 'middle'
  context.strokeStyle = tokens.line
  context.lineWidth = 1
  context.fillStyle = tokens.dim
  context.beginPath()
  for (const { y, label } of ticks) {
    const sharp = Math.round(y) + 0.5
    context.moveTo(inset.left, sharp)
    context.lineTo(size.width - inset.right, sharp)
    context.fillText(label, inset.left - 7, y + 0.5)
  }
  context.stroke()
}

/** Step numbers under the plot. */
export function paintStepAxis(
  context: CanvasRenderingContext2D,
  size: Size,
  inset: Inset,
  tokens: Tokens,
  x: Scale,
  domain: [number, number],
): void {
  context.font = chartFont
  context.textAlign = 'center'
  context.textBaseline = 'alphabetic'
  context.fillStyle = tokens.dim
  for (const tick of stepTicks(domain, size.width - inset.left - inset.right)) {
    const half = context.measureText(String(tick)).width / 2
    context.fillText(String(tick), Math.min(x.at(tick), size.width - half - 1), size.height - 3)
  }
}

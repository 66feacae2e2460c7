import type { Tokens } from '../../theme/tokens.ts'
import { outlineOf } from './shapes.ts'
import { type MarkStatus, statusInfo } from './status-info.ts'

/** What of a 2D context a mark needs; tests record it. */
export type MarkContext = Pick<
  CanvasRenderingContext2D,
  'beginPath' | 'fillRect' | 'arc' | 'moveTo' | 'lineTo' | 'closePath' | 'fill' | 'stroke'
> & { fillStyle: unknown; strokeStyle: unknown; lineWidth: number }

/** Marks smaller than this are a few pixels of colour, whatever their shape; as such tens of thousands are painted in a frame. */
const leastShapedRadius = 1.6

/** Paints one status mark centred at (x, y); `radius` in the context's own units. */
export function paintMark(
  context: MarkContext,
  status: MarkStatus,
  x: number,
  y: number,
  radius: number,
  tokens: Tokens,
): void {
  const { shape, token } = statusInfo(status)
  const outline = outlineOf(shape)
  const colour = tokens[token]
  if (radius < leastShapedRadius && outline.fill) {
    context.fillStyle = colour
    context.fillRect(x - radius * 0.8, y - radius * 0.8, radius * 1.6, radius * 1.6)
    return
  }
  context.beginPath()
  if (outline.kind === 'circle') {
    context.moveTo(x + outline.radius * radius, y)
    context.arc(x, y, outline.radius * radius, 0, 2 * Math.PI)
  } else {
    for (const polygon of outline.points) {
      polygon.forEach(([px, py], index) => {
        const move = index === 0 ? 'moveTo' : 'lineTo'
        context[move](x + px * radius, y + py * radius)
      })
      if (outline.fill) context.closePath()
    }
  }
  if (outline.fill) {
    context.fillStyle = colour
    context.fill()
  } else {
    context.strokeStyle = colour
    context.lineWidth = outline.stroke * radius
    context.stroke()
  }
}

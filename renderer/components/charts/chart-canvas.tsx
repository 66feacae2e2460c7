import { useEffect, useRef } from 'react'
import { useTheme } from '../../theme/theme.ts'
import type { Tokens } from '../../theme/tokens.ts'
import './charts.css'
import { paintQueue } from './paint-queue.ts'

export type Painter = (
  context: CanvasRenderingContext2D,
  size: { width: number; height: number },
  tokens: Tokens,
) => void

type Props = {
  paint: Painter
  /** Changes when what `paint` draws has changed; the canvas is painted then, and when its size or the theme changes, and never else. */
  version: unknown
  /** What the picture shows, in words. */
  label: string
}

/** A canvas as large as its parent, sharp on any screen. `paint` works in CSS pixels. */
export function ChartCanvas({ paint, version, label }: Props) {
  const ref = useRef<HTMLCanvasElement>(null)
  const latest = useRef(paint)
  latest.current = paint
  const request = useRef<() => void>(() => undefined)
  const tokens = useTheme((state) => state.tokens)

  useEffect(() => {
    const canvas = ref.current
    if (!canvas) return
    const draw = () => repaint(canvas, latest.current)
    let takeBack = () => {}
    request.current = () => {
      takeBack = paintQueue.add(draw)
    }
    const observer = new ResizeObserver(() => request.current())
    if (canvas.parentElement) observer.observe(canvas.parentElement)
    return () => {
      observer.disconnect()
      takeBack()
      request.current = () => undefined
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: these say when to paint; painting reads what it needs itself
  useEffect(() => request.current(), [version, tokens])

  return <canvas ref={ref} className="chart-canvas" role="img" aria-label={label} />
}

function repaint(canvas: HTMLCanvasElement, paint: Painter): void {
  const parent = canvas.parentElement
  const context = canvas.getContext('2d')
  if (!parent || !context) return
  const { clientWidth: width, clientHeight: height } = parent
  if (width === 0 || height === 0) return
  const density = window.devicePixelRatio
  const [pixelWidth, pixelHeight] = [Math.round(width * density), Math.round(height * density)]
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight
  context.setTransform(density, 0, 0, density, 0, 0)
  context.clearRect(0, 0, width, height)
  paint(context, { width, height }, useTheme.getState().tokens)
}

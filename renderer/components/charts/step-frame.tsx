import { type PointerEvent, type ReactNode, useRef } from 'react'
import './charts.css'
import type { Inset } from './plot-area.ts'

type Props = {
  domain: [number, number]
  inset: Inset
  /** The step that all charts mark; null for none. */
  step: number | null
  onStep: (step: number | null) => void
  /** A click: the step under it and how far up the plot it was, 0 to 1. */
  onPick?: ((step: number, height: number) => void) | undefined
  /** A drag over the plot: the steps it covered; a double click: null. */
  onZoom?: ((steps: [number, number] | null) => void) | undefined
  children: ReactNode
}

/** A press that moves less is a click, px. */
const dragPx = 6

/** What all charts over the step axis share: the pointer marks a step in all of them, and a click opens it. */
export function StepFrame({ domain, inset, step, onStep, onPick, onZoom, children }: Props) {
  const pressed = useRef<{ x: number; step: number } | null>(null)
  const dragged = useRef(false)
  const at = (event: PointerEvent<HTMLElement> | React.MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - box.left - inset.left) / (box.width - inset.left - inset.right)
    const height = 1 - (event.clientY - box.top - inset.top) / (box.height - inset.top - inset.bottom)
    const value = Math.round(domain[0] + share * (domain[1] - domain[0]))
    return { step: share < 0 || share > 1 ? null : value, height }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what a click opens is also reached by keys and by the links of the panel
    // biome-ignore lint/a11y/useKeyWithClickEvents: as above
    <div
      className={`chart ${onPick ? 'chart-door' : ''}`}
      onPointerDown={(event) => {
        const from = at(event).step
        pressed.current = onZoom && from !== null ? { x: event.clientX, step: from } : null
        dragged.current = false
      }}
      onPointerUp={(event) => {
        const [from, to] = [pressed.current, at(event).step]
        pressed.current = null
        if (!from || to === null || Math.abs(event.clientX - from.x) < dragPx) return
        dragged.current = true
        onZoom?.([Math.min(from.step, to) - 0.6, Math.max(from.step, to) + 0.6])
      }}
      onDoubleClick={() => onZoom?.(null)}
      onPointerMove={(event) => onStep(at(event).step)}
      onPointerLeave={() => onStep(null)}
      onClick={(event) => {
        if (dragged.current) return
        const picked = at(event)
        if (picked.step !== null) onPick?.(picked.step, picked.height)
      }}
    >
      {children}
      <StepLine domain={domain} inset={inset} step={step} />
    </div>
  )
}

function StepLine({ domain, inset, step }: Pick<Props, 'domain' | 'inset' | 'step'>) {
  if (step === null || step < domain[0] || step > domain[1]) return null
  const share = (step - domain[0]) / (domain[1] - domain[0])
  return (
    <div
      className="step-line"
      style={{
        left: `calc(${inset.left}px + (100% - ${inset.left + inset.right}px) * ${share.toFixed(5)})`,
        top: inset.top,
        bottom: inset.bottom,
      }}
    />
  )
}

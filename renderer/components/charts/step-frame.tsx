import type { PointerEvent, ReactNode } from 'react'
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
  children: ReactNode
}

/** What all charts over the step axis share: the pointer marks a step in all of them, and a click opens it. */
export function StepFrame({ domain, inset, step, onStep, onPick, children }: Props) {
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
      onPointerMove={(event) => onStep(at(event).step)}
      onPointerLeave={() => onStep(null)}
      onClick={(event) => {
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

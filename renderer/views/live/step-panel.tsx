import type { ReactNode } from 'react'
import type { StepRow } from '#shared/journal/state.ts'
import { go } from '../../app/router.ts'
import { type Inset, plotInset } from '../../components/charts/plot-area.ts'
import { type Reading, Readout } from '../../components/charts/readout.tsx'
import { StepFrame } from '../../components/charts/step-frame.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { useLive, useLiveData } from '../../stores/live.ts'
import { setFocusStep, setZoom, useLiveFocus } from '../../stores/live-focus.ts'
import { useDomain } from './figures.ts'

type Props = {
  title: string
  /** Figures of the step in focus, or of the last finished one. */
  readings: (row: StepRow | null) => Reading[]
  aside?: ((row: StepRow | null) => ReactNode) | undefined
  inset?: Inset
  className?: string
  children: (domain: [number, number], inset: Inset) => ReactNode
}

/** A panel over the shared step axis. Its readings follow the pointer; a click lists the step's rollouts. */
export function StepPanel({ title, readings, aside, inset = plotInset, className, children }: Props) {
  const data = useLiveData()
  const run = useLive((state) => state.run)
  const step = useLiveFocus((state) => state.step)
  const domain = useDomain(data)
  const row =
    (step === null ? null : data.step(step)) ??
    data.steps.findLast((candidate) => candidate.finishedAt !== null) ??
    null
  return (
    <Panel
      title={title}
      note={<Readout readings={readings(row)} />}
      aside={aside?.(row) ?? (row && step !== null ? `step ${row.step}` : undefined)}
      className={className ?? ''}
    >
      {row === null ? (
        <p className="chart-none">after the first step</p>
      ) : (
        <StepFrame
          domain={domain}
          inset={inset}
          step={step}
          onStep={setFocusStep}
          onZoom={setZoom}
          onPick={(picked) => go({ view: 'rollouts', run, filter: `step=${picked}` })}
        >
          {children(domain, inset)}
        </StepFrame>
      )}
    </Panel>
  )
}

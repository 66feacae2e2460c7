import type { StepRow } from '#shared/journal/state.ts'
import type { KubeMark } from '#shared/kube/marks.ts'
import { plotInset } from '../../components/charts/plot-area.ts'
import { linearScale } from '../../components/charts/scale.ts'
import { useLiveData } from '../../stores/live.ts'
import { setFocusStep, setZoom } from '../../stores/live-focus.ts'
import './cluster.css'
import { useDomain } from './figures.ts'
import { useTimeline } from './use-timeline.ts'

/** What happened to the verifier in its cluster, on the step axis: a bad step and an eviction are seen together. Nothing where it is here. */
export function ClusterAxis() {
  const data = useLiveData()
  const domain = useDomain(data)
  const timeline = useTimeline()
  const share = linearScale(domain, [0, 1])
  const marks = (timeline?.marks ?? []).flatMap((mark) => {
    const step = stepAt(data.steps, mark.at)
    return step === null || step < domain[0] || step > domain[1] ? [] : [{ mark, step }]
  })
  if (marks.length === 0) return null
  return (
    <div
      className="cluster-axis"
      style={{ marginLeft: plotInset.left, marginRight: plotInset.right }}
      role="toolbar"
      aria-label="The verifier’s pods over the steps"
    >
      {marks.map(({ mark, step }) => (
        <button
          key={`${mark.at} ${mark.kind} ${mark.object} ${mark.text}`}
          type="button"
          className={`cluster-tick cluster-tick-${mark.level}`}
          style={{ left: `${100 * share.at(step)}%` }}
          title={`${mark.object} ${mark.text}\n${mark.kind}, step ${step}`}
          aria-label={`${mark.object} ${mark.text}, step ${step}`}
          onPointerEnter={() => setFocusStep(step)}
          onPointerLeave={() => setFocusStep(null)}
          onClick={() => setZoom([step - 10, step + 10])}
        />
      ))}
    </div>
  )
}

/** The step that was going on at a time, or the last one before it; null before the first. */
export function stepAt(
  steps: readonly Pick<StepRow, 'step' | 'startedAt'>[],
  at: KubeMark['at'],
): number | null {
  let found: number | null = null
  for (const { step, startedAt } of steps) {
    if (startedAt === null || startedAt > at) continue
    found = step
  }
  return found
}

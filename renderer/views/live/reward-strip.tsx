import { useRef } from 'react'
import { formatCount, plural } from '../../app/format.ts'
import { go } from '../../app/router.ts'
import { ChartCanvas, type Painter } from '../../components/charts/chart-canvas.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { liveData, useLiveData } from '../../stores/live.ts'
import { focusedRollout, setFocusStep, setHovered, useLiveFocus } from '../../stores/live-focus.ts'
import { useDomain } from './figures.ts'
import { groupShape, layoutStrip, markAt, pointAt, type StripLayout } from './strip-layout.ts'
import { paintStrip } from './strip-paint.ts'

/** One mark a rollout, over the steps: what the run is, at a glance. */
export function RewardStrip() {
  const data = useLiveData()
  const host = useRef<HTMLDivElement>(null)
  const domain = useDomain(data)
  const focused = useLiveFocus(focusedRollout)
  const paint: Painter = (context, { width, height }, tokens) =>
    paintStrip(context, liveData(), layoutStrip(width, height, domain), tokens)
  const move = (event: React.PointerEvent<HTMLElement>) => {
    const place = placeIn(event)
    const layout = layoutStrip(place.width, place.height, domain)
    const step = Math.round(layout.x.invert(place.x))
    setFocusStep(step >= domain[0] && step <= domain[1] && place.x >= layout.left ? step : null)
    setHovered(pointAt(data, layout, place.x, place.y)?.id ?? null)
  }
  const leave = () => {
    setFocusStep(null)
    setHovered(null)
  }
  const { rollouts = 0, byStatus = {} } = data.head ?? {}
  const pending = rollouts - Object.values(byStatus).reduce((sum, count) => sum + count, 0)
  const ungraded = (['no_test_ran', 'unreachable', 'unresolved'] as const).reduce(
    (sum, status) => sum + (byStatus[status] ?? 0),
    0,
  )
  return (
    <Panel
      title="Rewards"
      note={<StripNote />}
      aside={`${plural(rollouts, 'rollout')}${pending > 0 ? `, ${pending} being graded` : ''}, ${formatCount(ungraded)} null`}
      className="strip-panel"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: by keys, j and k move over the marks and Enter opens one */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <div
        ref={host}
        className={`chart ${focused === null ? '' : 'chart-door'}`}
        onPointerMove={move}
        onPointerLeave={leave}
        onClick={() => {
          const { hovered } = useLiveFocus.getState()
          if (hovered !== null) go({ view: 'rollout', rollout: hovered, filter: '' })
        }}
      >
        <ChartCanvas
          paint={paint}
          version={`${data.version} ${domain}`}
          label={`Rewards of ${formatCount(data.pointCount)} rollouts by step; ${formatCount(ungraded)} not graded.`}
        />
        <FocusRing domain={domain} host={host} />
      </div>
    </Panel>
  )
}

const StripNote = () => (
  <>
    one mark a rollout; line: mean of the step, ticks: of its groups; <i className="false-mark" aria-hidden />{' '}
    accepted, but the audit rejects it
  </>
)

function placeIn(event: React.PointerEvent<HTMLElement>) {
  const box = event.currentTarget.getBoundingClientRect()
  return { x: event.clientX - box.left, y: event.clientY - box.top, width: box.width, height: box.height }
}

/** The step line and a ring around the mark in focus, above the canvas so that moving them repaints nothing. */
function FocusRing({
  domain,
  host,
}: {
  domain: [number, number]
  host: React.RefObject<HTMLDivElement | null>
}) {
  const data = useLiveData()
  const step = useLiveFocus((state) => state.step)
  const id = useLiveFocus(focusedRollout)
  const box = host.current
  if (!box) return null
  const layout: StripLayout = layoutStrip(box.clientWidth, box.clientHeight, domain)
  const point = id === null ? null : data.point(id)
  const ring = point && markAt(layout, point, groupShape(data))
  const line = step ?? point?.step ?? null
  return (
    <>
      {line === null ? null : (
        <div
          className="step-line"
          style={{ left: layout.x.at(line), top: 4, bottom: layout.height - layout.lane.bottom }}
        />
      )}
      {ring && <div className="strip-ring" style={{ transform: `translate(${ring.x}px, ${ring.y}px)` }} />}
    </>
  )
}

import { plotInset } from '../../components/charts/plot-area.ts'
import { linearScale } from '../../components/charts/scale.ts'
import { episodesOf } from '../../stores/alarms.ts'
import { useLiveData } from '../../stores/live.ts'
import { setFocusStep, setZoom } from '../../stores/live-focus.ts'
import { useDomain } from './figures.ts'

/** Where on the step axis something was wrong: one mark a stretch; a click looks at it closely. Gone where nothing was. */
export function AlarmAxis() {
  const data = useLiveData()
  const domain = useDomain(data)
  const share = linearScale(domain, [0, 1])
  const blocks = (data.head?.blocks ?? []).flatMap(({ step, reason }) =>
    step === null
      ? []
      : [{ code: 'verifier_silent', from: step, to: step, title: reason, level: 'warning' as const }],
  )
  const episodes = episodesOf(data).map(({ code, from, to, last: { title, level } }) => ({
    code,
    from,
    to,
    title,
    level,
  }))
  const marks = [...blocks, ...episodes].filter(({ from, to }) => to >= domain[0] && from <= domain[1])
  if (marks.length === 0) return null
  return (
    <div
      className="alarm-axis"
      style={{ marginLeft: plotInset.left, marginRight: plotInset.right }}
      role="toolbar"
      aria-label="Alarms over the steps"
    >
      {marks.map(({ code, from, to, title, level }) => {
        const left = Math.max(0, share.at(from - 0.5))
        const right = Math.min(1, share.at(to + 0.5))
        const steps = from === to ? `step ${from}` : `steps ${from} to ${to}`
        return (
          <button
            key={`${code} ${from}`}
            type="button"
            className={`alarm-tick alarm-tick-${level}`}
            style={{ left: `${100 * left}%`, width: `max(7px, ${100 * (right - left)}%)` }}
            title={`${title}\n${code}, ${steps}`}
            aria-label={`${title}, ${steps}`}
            onPointerEnter={() => setFocusStep(from)}
            onPointerLeave={() => setFocusStep(null)}
            onClick={() => setZoom([from - 10, to + 10])}
          />
        )
      })}
    </div>
  )
}

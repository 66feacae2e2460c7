import type { CompareMetric, CompareSeries } from '#shared/ipc/contract.ts'
import { formatDuration, formatNumber } from '../../app/format.ts'
import { paintValueAxis } from '../../components/charts/axes.ts'
import { ChartCanvas, type Painter } from '../../components/charts/chart-canvas.tsx'
import { chartFont } from '../../components/charts/plot-area.ts'
import { linearScale, niceTicks, valueDomain } from '../../components/charts/scale.ts'
import { thin } from '../../components/charts/thin.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { type Axis, placed } from './overlay.ts'

/** A colour and a dash each: runs are told apart without colour too. */
export const runLooks: { token: keyof Tokens; dash: number[] }[] = [
  { token: 'accent', dash: [] },
  { token: 'second', dash: [6, 3] },
  { token: 'third', dash: [2, 2] },
  { token: 'passed', dash: [9, 3, 2, 3] },
  { token: 'timed_out', dash: [] },
  { token: 'test_failed', dash: [6, 3] },
  { token: 'tampered', dash: [2, 2] },
  { token: 'no_answer', dash: [9, 3, 2, 3] },
]

const inset = { left: 52, right: 10, top: 8, bottom: 20 }

type Props = { series: readonly CompareSeries[]; axis: Axis; metric: CompareMetric }

/** Runs over each other on one axis. A null interrupts a line. */
export function OverlayChart({ series, axis, metric }: Props) {
  const paint: Painter = (context, size, tokens) => {
    const points = series.map((one) => placed(one, axis))
    const last = points.reduce((most, run) => Math.max(most, run.at(-1)?.x ?? 0), 0)
    const first =
      axis === 'step' ? points.reduce((least, run) => Math.min(least, run[0]?.x ?? least), last) : 0
    const domain: [number, number] = [first, Math.max(first + 1, last)]
    const range = valueDomain(
      points.flatMap((run) => run.map(({ y }) => y)),
      [0],
    ) ?? [0, 1]
    const x = linearScale(domain, [inset.left, size.width - inset.right])
    const y = linearScale(range, [size.height - inset.bottom, inset.top])
    const ticks = niceTicks(range, 4).map((value) => ({ y: y.at(value), label: label(metric, value) }))
    paintValueAxis(context, size, inset, tokens, ticks)
    context.font = chartFont
    context.textAlign = 'center'
    context.fillStyle = tokens.dim
    for (const tick of niceTicks(domain, Math.floor(size.width / 90)))
      context.fillText(
        axis === 'time' ? formatDuration(tick) : tick.toLocaleString('en'),
        x.at(tick),
        size.height - 6,
      )
    for (const [at, run] of points.entries()) {
      const columns = { x: run.map((point) => point.x), series: [run.map((point) => point.y)] }
      const thinned = thin(columns, domain, size.width - inset.left - inset.right)
      context.strokeStyle = tokens[runLooks[at]?.token ?? 'text']
      context.setLineDash(runLooks[at]?.dash ?? [])
      context.lineWidth = 1.6
      context.beginPath()
      let open = false
      for (const [index, place] of thinned.x.entries()) {
        const value = thinned.series[0]?.[index] ?? null
        if (value !== null && open) context.lineTo(x.at(place), y.at(value))
        else if (value !== null) context.moveTo(x.at(place), y.at(value))
        open = value !== null
      }
      context.stroke()
    }
    context.setLineDash([])
  }
  return (
    <ChartCanvas
      paint={paint}
      version={[series, axis, metric]}
      label={`${metric} of ${series.map(({ name }) => name).join(', ')} by ${axis}`}
    />
  )
}

const label = (metric: CompareMetric, value: number): string =>
  metric === 'gradeMsP95' && value !== 0 ? formatDuration(value) : formatNumber(value)

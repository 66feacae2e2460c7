import type uPlot from 'uplot'
import type { StepRow } from '#shared/journal/state.ts'
import { formatDuration } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { niceTicks } from '../../components/charts/scale.ts'
import { type Bar, StackChart } from '../../components/charts/stack-chart.tsx'
import { liveData, useLiveData } from '../../stores/live.ts'
import type { LiveData } from '../../stores/live-data.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { columnsOf, type Figure, rangeOf } from './step-columns.ts'
import { StepPanel } from './step-panel.tsx'

const totalMs = (row: StepRow) =>
  row.stepMs ? row.stepMs.generate + row.stepMs.grade + row.stepMs.update : 0

/** One blocked step can take as long as all others together: the axis ends well above the usual one, and a longer bar is cut with a notch. */
function timeLimit(data: LiveData): number {
  const times = Float64Array.from(data.column(totalMs).filter((ms) => ms > 0)).sort()
  const most = times.at(-1) ?? 1000
  const usual = times[Math.floor(times.length * 0.8)] ?? most
  return Math.max(1, Math.min(most, usual * 2.2))
}

const ms = (value: number | null | undefined) => formatDuration(value ?? null)

const timeBar = ({ step, stepMs }: StepRow): Bar | null =>
  stepMs === null
    ? null
    : {
        step,
        segments: [
          { value: stepMs.generate, token: 'accent', style: 'solid' },
          { value: stepMs.grade, token: 'second', style: 'hatched' },
          { value: stepMs.update, token: 'third', style: 'solid' },
        ],
      }

export function TimePanel() {
  const data = useLiveData()
  const limit = timeLimit(data)
  return (
    <StepPanel
      title="Time a step"
      readings={(row) => [
        {
          label: 'draw',
          title: 'generate',
          token: 'accent',
          value: ms(row?.stepMs?.generate),
          look: 'block',
        },
        { label: 'grade', token: 'second', value: ms(row?.stepMs?.grade), look: 'hatched' },
        { label: 'update', token: 'third', value: ms(row?.stepMs?.update), look: 'block' },
      ]}
    >
      {(domain, inset) => (
        <StackChart
          bars={() => liveData().column(timeBar)}
          version={`${data.version} ${domain}`}
          domain={domain}
          inset={inset}
          max={limit}
          merge="greatest"
          ticks={niceTicks([0, limit], 2).map((value) => ({
            value,
            label: value === 0 ? '0' : formatDuration(value),
          }))}
          label="Time of each step by generation, grading and update"
        />
      )}
    </StepPanel>
  )
}

const gradingFigures: Figure[] = [(row) => row.gradeMsP50, (row) => row.gradeMsP95, (row) => row.queueMsP95]

export function GradingPanel() {
  const data = useLiveData()
  const range = (): [number, number] => rangeOf(liveData(), gradingFigures, [0]) ?? [0, 1]
  return (
    <StepPanel
      title="Grading a body"
      readings={(row) => [
        { label: 'p50', token: 'accent', value: ms(row?.gradeMsP50) },
        { label: 'p95', token: 'second', value: ms(row?.gradeMsP95), look: 'dashed' },
        {
          label: 'queue',
          token: 'third',
          value: ms(row?.queueMsP95),
          title: `p95 of the wait for a worker${row ? `; ${row.coldGrades} grades met a cold build folder` : ''}`,
        },
      ]}
    >
      {(domain, inset) => (
        <LineChart
          lines={[{ token: 'accent' }, { token: 'second', dash: [4, 3] }, { token: 'third', width: 1 }]}
          columns={() => columnsOf(liveData(), gradingFigures)}
          draw={paintCold}
          version={data.version}
          domain={domain}
          inset={inset}
          range={range}
          ticks={(held) => niceTicks(held, 2)}
          format={(value) => (value === 0 ? '0' : formatDuration(value))}
          label="Median and 95th percentile of the time to grade a body, by step"
        />
      )}
    </StepPanel>
  )
}

/** A tick at the top of each step in which grades met a cold build folder: what a slow p95 is then made of. */
function paintCold(plot: uPlot, tokens: Tokens): void {
  const { ctx } = plot
  ctx.save()
  ctx.fillStyle = tokens.timed_out
  for (const { step, coldGrades } of liveData().steps) {
    if (coldGrades === 0) continue
    const x = plot.valToPos(step, 'x', true)
    if (x >= plot.bbox.left && x <= plot.bbox.left + plot.bbox.width)
      ctx.fillRect(x - 1.5, plot.bbox.top, 3, 6)
  }
  ctx.restore()
}

import type { MemorySample, StepRow } from '#shared/journal/state.ts'
import { formatBytes, formatDuration, formatShare } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { niceTicks, valueDomain } from '../../components/charts/scale.ts'
import { StackChart } from '../../components/charts/stack-chart.tsx'
import { liveData, useLiveData } from '../../stores/live.ts'
import type { LiveData } from '../../stores/live-data.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { stepClock } from './figures.ts'
import { StepPanel } from './step-panel.tsx'

const totalMs = (row: StepRow) =>
  row.stepMs ? row.stepMs.generate + row.stepMs.grade + row.stepMs.update : 0

/** One blocked step can take as long as all others together: the axis ends well above the usual one, and a longer bar is cut with a notch. */
function timeLimit(steps: StepRow[]): number {
  const times = steps.map(totalMs).filter((ms) => ms > 0)
  times.sort((a, b) => a - b)
  const most = times.at(-1) ?? 1000
  const usual = times[Math.floor(times.length * 0.8)] ?? most
  return Math.max(1, Math.min(most, usual * 2.2))
}

const ms = (value: number | null | undefined) => formatDuration(value ?? null)

export function TimePanel() {
  const data = useLiveData()
  const limit = timeLimit(data.steps)
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
          bars={() =>
            liveData().steps.flatMap((row) =>
              row.stepMs === null
                ? []
                : [
                    {
                      step: row.step,
                      segments: [
                        { value: row.stepMs.generate, token: 'accent', style: 'solid' },
                        { value: row.stepMs.grade, token: 'second', style: 'hatched' },
                        { value: row.stepMs.update, token: 'third', style: 'solid' },
                      ],
                    },
                  ],
            )
          }
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

export function GradingPanel() {
  const data = useLiveData()
  const range = (): [number, number] =>
    valueDomain(
      liveData().steps.flatMap((row) => [row.gradeMsP50, row.gradeMsP95]),
      [0],
    ) ?? [0, 1]
  return (
    <StepPanel
      title="Grading a body"
      readings={(row) => [
        { label: 'p50', token: 'accent', value: ms(row?.gradeMsP50) },
        { label: 'p95', token: 'second', value: ms(row?.gradeMsP95), look: 'dashed' },
      ]}
    >
      {(domain, inset) => (
        <LineChart
          lines={[{ token: 'accent' }, { token: 'second', dash: [4, 3] }]}
          columns={() => ({
            x: liveData().steps.map((row) => row.step),
            series: [
              liveData().steps.map((row) => row.gradeMsP50),
              liveData().steps.map((row) => row.gradeMsP95),
            ],
          })}
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

const memoryTokens: (keyof Tokens)[] = ['accent', 'second', 'third', 'timed_out']
/** Used this much of the total, the limit itself is worth showing; far below it, it would flatten the line. */
const nearLimit = 0.3

const deviceNames = (data: LiveData): string[] => [
  ...new Set((data.memory.at(-1)?.devices ?? []).slice(0, memoryTokens.length).map((device) => device.name)),
]

const usedOf = (sample: MemorySample, name: string) =>
  sample.devices.find((device) => device.name === name)?.usedBytes ?? null

/** Memory over the steps: each sample stands where in its step it was taken. */
export function MemoryPanel() {
  const data = useLiveData()
  const names = deviceNames(data)
  const last = data.memory.at(-1)?.devices ?? []
  const most = Math.max(
    0,
    ...data.memory.flatMap((sample) => sample.devices.map((device) => device.usedBytes ?? 0)),
  )
  const total = last[0]?.totalBytes ?? null
  const close = total !== null && most > nearLimit * total
  const range = (): [number, number] => [0, close ? total * 1.02 : most * 1.15 || 1]
  const gpu = names.some((name) => !/process/i.test(name))
  return (
    <StepPanel
      title={gpu ? 'GPU memory' : 'Memory'}
      readings={() =>
        names.map((name, index) => {
          const used = last.find((device) => device.name === name)?.usedBytes ?? null
          return {
            label: gpu ? name : `no GPU: ${name}`,
            token: memoryTokens[index] ?? 'accent',
            value: formatBytes(used),
          }
        })
      }
      aside={() =>
        total === null ? undefined : (
          <span title={`peak ${formatBytes(most)} of ${formatBytes(total)}`}>
            of {formatBytes(total)}, {formatShare(most, total)} at peak
          </span>
        )
      }
    >
      {(domain, inset) => (
        <LineChart
          lines={[
            ...names.map((_, index) => ({ token: memoryTokens[index] ?? ('accent' as const) })),
            ...(close ? [{ token: 'bad' as const, dash: [4, 3], width: 1 }] : []),
          ]}
          columns={() => memoryColumns(liveData(), names, close ? total : null)}
          version={data.version}
          domain={domain}
          inset={inset}
          range={range}
          ticks={byteTicks}
          format={(value) => (value === 0 ? '0' : formatBytes(value))}
          label="Memory in use over the steps"
        />
      )}
    </StepPanel>
  )
}

/** Zero and a round number of the unit in which the greatest value is read. */
function byteTicks([, high]: [number, number]): number[] {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(1, high)) / 10))
  return [0, (niceTicks([0, high / unit], 2).at(-1) ?? 0) * unit]
}

function memoryColumns(data: LiveData, names: string[], limit: number | null) {
  const stepAt = stepClock(data.steps)
  const placed = data.memory.flatMap((sample) => {
    const x = stepAt(Date.parse(sample.at))
    return x === null ? [] : [{ x, sample }]
  })
  return {
    x: placed.map(({ x }) => x),
    series: [
      ...names.map((name) => placed.map(({ sample }) => usedOf(sample, name))),
      ...(limit === null ? [] : [placed.map(() => limit)]),
    ],
  }
}

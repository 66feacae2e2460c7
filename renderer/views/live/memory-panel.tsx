import type uPlot from 'uplot'
import type { MemorySample } from '#shared/journal/state.ts'
import { formatBytes, formatShare } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { niceTicks } from '../../components/charts/scale.ts'
import { liveData, useLiveData } from '../../stores/live.ts'
import type { LiveData } from '../../stores/live-data.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { mostUsed, stepClock } from './figures.ts'
import { drawnSamples, withGaps } from './heard-gaps.ts'
import { StepPanel } from './step-panel.tsx'

const memoryTokens: (keyof Tokens)[] = ['accent', 'second', 'third', 'timed_out']
/** Used this much of the total, the limit itself is worth showing; far below it, it would flatten the line. */
const nearLimit = 0.3

const deviceNames = (samples: readonly MemorySample[]): string[] => [
  ...new Set((samples.at(-1)?.devices ?? []).slice(0, memoryTokens.length).map((device) => device.name)),
]

const usedOf = (sample: MemorySample | null, name: string) =>
  sample?.devices.find((device) => device.name === name)?.usedBytes ?? null

const peakOf = (sample: MemorySample | null, name: string) =>
  sample?.devices.find((device) => device.name === name)?.peakBytes ?? null

/** Memory over the steps: each sample stands where in its step it was taken. */
export function MemoryPanel() {
  const data = useLiveData()
  const samples = drawnSamples(data.memory)
  const names = deviceNames(samples)
  const last = samples.at(-1)?.devices ?? []
  const most = mostUsed(samples)
  const total = last[0]?.totalBytes ?? null
  const close = total !== null && most !== null && most > nearLimit * total
  const range = (): [number, number] => [0, close ? total * 1.02 : (most ?? 0) * 1.15 || 1]
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
            of {formatBytes(total)}, {most === null ? 'use not known' : `${formatShare(most, total)} at peak`}
          </span>
        )
      }
    >
      {(domain, inset) => (
        <LineChart
          lines={[
            ...names.map((_, index) => ({ token: memoryTokens[index] ?? ('accent' as const) })),
            ...names.map((_, index) => ({
              token: memoryTokens[index] ?? ('accent' as const),
              dash: [2, 2],
              width: 1,
            })),
            ...(close ? [{ token: 'bad' as const, dash: [4, 3], width: 1 }] : []),
          ]}
          columns={() => memoryColumns(liveData(), names, close ? total : null)}
          version={data.version}
          domain={domain}
          inset={inset}
          range={range}
          ticks={byteTicks}
          format={(value) => (value === 0 ? '0' : formatBytes(value))}
          draw={paintPhases}
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
  const stepAt = stepClock(data)
  let last = 0
  const placed = withGaps(drawnSamples(data.memory)).flatMap((sample) => {
    // A gap stands where the last sample does: there the line ends.
    const x = sample === null ? last : stepAt(Date.parse(sample.at))
    last = x ?? last
    return x === null ? [] : [{ x, sample }]
  })
  return {
    x: placed.map(({ x }) => x),
    series: [
      ...names.map((name) => placed.map(({ sample }) => usedOf(sample, name))),
      // The allocator's own peak: what an out-of-memory is about, and what a sample now and then misses.
      ...names.map((name) => placed.map(({ sample }) => peakOf(sample, name))),
      ...(limit === null ? [] : [placed.map(() => limit)]),
    ],
  }
}

/** Narrower than this the parts of a step cannot be told apart, in device pixels. */
const leastStep = 18

/** What each step was doing when, as faint bands behind its memory: generation, grading, update. */
function paintPhases(plot: uPlot, tokens: Tokens): void {
  const { ctx, bbox } = plot
  const width = plot.valToPos(1, 'x', true) - plot.valToPos(0, 'x', true)
  if (width < leastStep) return
  ctx.save()
  ctx.globalAlpha = 0.1
  for (const { step, stepMs } of liveData().steps) {
    if (stepMs === null) continue
    const total = stepMs.generate + stepMs.grade + stepMs.update
    let left = plot.valToPos(step - 0.5, 'x', true)
    for (const [ms, token] of [
      [stepMs.generate, 'accent'],
      [stepMs.grade, 'second'],
      [stepMs.update, 'third'],
    ] as const) {
      const part = total === 0 ? 0 : (ms / total) * width
      const from = Math.max(bbox.left, left)
      ctx.fillStyle = tokens[token]
      ctx.fillRect(
        from,
        bbox.top,
        Math.max(0, Math.min(left + part, bbox.left + bbox.width) - from),
        bbox.height,
      )
      left += part
    }
  }
  ctx.restore()
}

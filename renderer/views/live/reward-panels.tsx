import type uPlot from 'uplot'
import type { StepRow } from '#shared/journal/state.ts'
import { wilsonInterval } from '#shared/stats/intervals.ts'
import { formatNumber, formatReward, formatShare } from '../../app/format.ts'
import { LineChart } from '../../components/charts/line-chart.tsx'
import { liveData, useLive, useLiveData } from '../../stores/live.ts'
import { useRunSummary } from '../../stores/runs.ts'
import type { Tokens } from '../../theme/tokens.ts'
import { columnsOf, type Figure, partOf } from './step-columns.ts'
import { StepPanel } from './step-panel.tsx'

const partTokens: (keyof Tokens)[] = ['accent', 'second', 'third', 'timed_out', 'no_answer']
const tokenOf = (name: string, index: number): keyof Tokens =>
  name === 'tests' ? 'passed' : (partTokens[index % partTokens.length] ?? 'accent')

/** Names of the reward's parts, tests first. */
function partNames(steps: StepRow[]): string[] {
  const names = new Set(steps.slice(-4).flatMap((row) => Object.keys(row.components)))
  return [...names].sort((a, b) => Number(b === 'tests') - Number(a === 'tests') || a.localeCompare(b))
}

/** Parts of the reward apart: shaping must not become what is learned. */
export function PartsPanel() {
  const data = useLiveData()
  const names = partNames(data.steps)
  return (
    <StepPanel
      title="Reward by part"
      readings={(row) =>
        names.map((name, index) => ({
          label: name,
          token: tokenOf(name, index - 1),
          value: mean(row?.components[name]),
        }))
      }
      aside={(row) => {
        const tests = row?.spreadShares.tests ?? null
        if (tests === null || names.length < 2) return undefined
        const share = 1 - tests
        return (
          <span title="Share of the reward's spread that is not the tests'">
            shaping {formatShare(Math.max(0, share), 1)}
          </span>
        )
      }}
    >
      {(domain, inset) => (
        <LineChart
          lines={names.map((name, index) => ({ token: tokenOf(name, index - 1) }))}
          columns={() => columnsOf(liveData(), names.map(partOf))}
          version={data.version}
          domain={domain}
          inset={inset}
          range={rewardRange}
          ticks={() => [0, 1]}
          format={formatNumber}
          label="Mean of each part of the reward by step"
        />
      )}
    </StepPanel>
  )
}

type Rate = { passed: number; graded: number }

const mean = (value: number | null | undefined) => (value == null ? '–' : formatReward(value))

const share = (rate: Rate | null) => (rate ? formatShare(rate.passed, rate.graded).replace(' ', '') : '–')

/** From 0 to 1, or as far as shaping lifts the mean. */
const rewardRange = (): [number, number] => [
  0,
  liveData()
    .column(rewardMean)
    .reduce<number>((most, mean) => Math.max(most, mean ?? 0), 1) * 1.01,
]

const rewardMean: Figure = (row) => row.rewardMean

/** What the audit says changes long after its step did, so it is no column of the step's row. */
function heldOutColumns() {
  const data = liveData()
  const { x, series } = columnsOf(data, [rewardMean])
  const shares = x.map((step) => data.auditShare(step))
  return { x, series: [...series, shares.map((share) => share && share.passed / share.judged)] }
}

/** What training sees beside what it does not: reward, the share that the audit passes, and the fixed draws before and after. */
export function HeldOutPanel() {
  const data = useLiveData()
  const summary = useRunSummary(useLive((state) => state.run))
  const before = summary?.passRateBefore ?? null
  const after = summary?.passRateAfter ?? null
  const draw = (plot: uPlot, tokens: Tokens) => {
    const [low = 0, high = 1] = [plot.scales.x?.min, plot.scales.x?.max]
    if (before) paintRate(plot, low + 0.35, before, tokens)
    if (after) paintRate(plot, high - 0.35, after, tokens)
  }
  return (
    <StepPanel
      title="Held-out and reward"
      readings={(row) => {
        const audit = row && data.auditShare(row.step)
        return [
          { label: 'reward', token: 'accent', value: mean(row?.rewardMean) },
          {
            label: 'audit',
            token: 'second',
            look: 'dashed',
            value: audit ? formatShare(audit.passed, audit.judged) : '–',
            title: audit ? `${audit.passed} of ${audit.judged} judged bodies of the step` : 'not judged yet',
          },
          {
            label: '',
            token: 'second',
            look: 'diamond',
            value: `${share(before)}→${share(after)}`,
            title: 'Fixed draws that pass the audit, before and after, with 95 % intervals',
          },
        ]
      }}
    >
      {(domain, inset) => (
        <LineChart
          lines={[{ token: 'accent' }, { token: 'second', dash: [4, 3] }]}
          columns={heldOutColumns}
          version={`${data.version} ${before?.graded} ${after?.graded}`}
          domain={domain}
          inset={inset}
          range={rewardRange}
          ticks={() => [0, 1]}
          format={formatNumber}
          draw={draw}
          label="Mean reward by step, the share of bodies that the audit passes, and the fixed draws before and after"
        />
      )}
    </StepPanel>
  )
}

/** A rate of the fixed draws as a diamond with its 95 % Wilson interval, in device pixels. */
function paintRate(plot: uPlot, step: number, { passed, graded }: Rate, tokens: Tokens): void {
  const interval = wilsonInterval(passed, graded)
  if (!interval) return
  const { ctx } = plot
  const density = window.devicePixelRatio
  const x = plot.valToPos(step, 'x', true)
  const y = plot.valToPos(passed / graded, 'y', true)
  ctx.save()
  ctx.strokeStyle = tokens.second
  ctx.fillStyle = tokens.second
  ctx.lineWidth = 1.2 * density
  ctx.beginPath()
  ctx.moveTo(x, plot.valToPos(interval.low, 'y', true))
  ctx.lineTo(x, plot.valToPos(interval.high, 'y', true))
  ctx.stroke()
  const r = 3.6 * density
  ctx.beginPath()
  ctx.moveTo(x, y - r)
  ctx.lineTo(x + r, y)
  ctx.lineTo(x, y + r)
  ctx.lineTo(x - r, y)
  ctx.fill()
  ctx.restore()
}

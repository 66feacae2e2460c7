import { statuses } from '#shared/domain/grade.ts'
import type { StepRow } from '#shared/journal/state.ts'
import { formatCount, formatShare } from '../../app/format.ts'
import { go, href } from '../../app/router.ts'
import { plotInset } from '../../components/charts/plot-area.ts'
import { type Bar, type Segment, StackChart } from '../../components/charts/stack-chart.tsx'
import { StepFrame } from '../../components/charts/step-frame.tsx'
import { Legend } from '../../components/marks/legend.tsx'
import { barStyle, statusInfo } from '../../components/marks/status-info.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { liveData, useLive, useLiveData } from '../../stores/live.ts'
import { setFocusStep, setZoom, useLiveFocus } from '../../stores/live-focus.ts'
import { movingSilent, movingSilentAt, movingSteps, silentShare, useDomain } from './figures.ts'
import { columnsOf } from './step-columns.ts'
import { StepPanel } from './step-panel.tsx'

const shareTicks = [
  { value: 0, label: '0' },
  { value: 1, label: '100 %' },
]

const segmentsOf = (row: StepRow): Segment[] => {
  const total = statuses.reduce((sum, status) => sum + (row.byStatus[status] ?? 0), 0)
  return statuses.flatMap((status) => {
    const count = row.byStatus[status] ?? 0
    if (count === 0) return []
    return [
      {
        value: count / total,
        token: statusInfo(status).token,
        style: barStyle(status),
      } as const,
    ]
  })
}

const outcomeBar = (row: StepRow): Bar => ({ step: row.step, segments: segmentsOf(row) })

/** Shares of the outcomes of each step; the counts above are the run's and open their lists, a part of a bar opens its own. */
export function OutcomesPanel() {
  const data = useLiveData()
  const run = useLive((state) => state.run)
  const step = useLiveFocus((state) => state.step)
  const domain = useDomain(data)
  const row = step === null ? null : data.step(step)
  const counts = row?.byStatus ?? data.head?.byStatus ?? {}
  const scope = row ? `step=${row.step} ` : ''
  const present = statuses.filter((status) => (data.head?.byStatus[status] ?? 0) > 0)
  return (
    <Panel
      title="Outcomes a step"
      note={
        <Legend
          label="Outcomes"
          entries={present.map((status) => ({
            status,
            count: counts[status] ?? 0,
            href: href({ view: 'rollouts', run, filter: `${scope}status:${status}` }),
          }))}
        />
      }
      aside={row ? `step ${row.step}` : 'all steps'}
    >
      <StepFrame
        domain={domain}
        inset={plotInset}
        step={step}
        onStep={setFocusStep}
        onZoom={setZoom}
        onPick={(picked, height) => {
          const status = statusAt(data.step(picked), height)
          go({ view: 'rollouts', run, filter: `step=${picked}${status === null ? '' : ` status:${status}`}` })
        }}
      >
        <StackChart
          bars={() => liveData().column(outcomeBar)}
          version={`${data.version} ${domain}`}
          domain={domain}
          inset={plotInset}
          max={1}
          ticks={shareTicks}
          label={`Shares of outcomes by step. All steps: ${present.map((status) => `${statusInfo(status).label} ${formatCount(data.head?.byStatus[status] ?? 0)}`).join(', ')}.`}
        />
      </StepFrame>
    </Panel>
  )
}

/** The status of a bar's part at a height between 0 and 1; null beside it. */
function statusAt(row: StepRow | null, height: number) {
  if (!row) return null
  const total = statuses.reduce((sum, status) => sum + (row.byStatus[status] ?? 0), 0)
  let base = 0
  for (const status of statuses) {
    base += (row.byStatus[status] ?? 0) / total
    if (height >= 0 && height <= base) return status
  }
  return null
}

const silentParts = (row: StepRow | null) => {
  if (!row || row.groups === null || row.silentGroups === null) return null
  const { allPassGroups: pass, allFailGroups: fail, silentGroups: silent, groups } = row
  return { pass, fail, other: Math.max(0, silent - pass - fail), silent, groups }
}

function silentBar(row: StepRow): Bar | null {
  const parts = silentParts(row)
  if (!parts) return null
  return {
    step: row.step,
    segments: [
      { value: parts.pass / parts.groups, token: 'passed', style: 'solid' },
      { value: parts.fail / parts.groups, token: 'build_failed', style: 'hatched' },
      { value: parts.other / parts.groups, token: 'no_answer', style: 'solid' },
    ],
  }
}

/** Groups whose rewards are all equal teach nothing: those in which all passed, all failed, or all got the same part. */
export function SilentGroupsPanel() {
  const data = useLiveData()
  const all = silentShare(data)
  return (
    <StepPanel
      title="Silent groups"
      readings={(row) => {
        const parts = silentParts(row)
        const of = (count: number | undefined) => (parts ? `${count}` : '–')
        return [
          { label: 'all pass', token: 'passed', value: of(parts?.pass), look: 'block' },
          { label: 'all fail', token: 'build_failed', value: of(parts?.fail), look: 'hatched' },
          {
            label: 'all alike',
            token: 'no_answer',
            value: of(parts?.other),
            look: 'block',
            title: 'equal partial credit',
          },
        ]
      }}
      aside={(row) => {
        const parts = silentParts(row)
        if (!parts) return undefined
        const last = movingSilentAt(data, data.placeOf(row?.step ?? 0))
        return (
          <span title={`Line: share over the last ${movingSteps} steps`}>
            {parts.silent} of {parts.groups}
            {last === null ? '' : `, ${formatShare(last, 1)} of late`}
          </span>
        )
      }}
    >
      {(domain, inset) => (
        <StackChart
          bars={() => liveData().column(silentBar)}
          version={`${data.version} ${domain}`}
          domain={domain}
          inset={inset}
          max={1}
          ticks={shareTicks}
          line={() => ({ x: columnsOf(liveData(), []).x, series: [movingSilent(liveData())] })}
          label={`Share of silent groups by step; ${formatShare(all.silent, all.groups)} over all steps.`}
        />
      )}
    </StepPanel>
  )
}

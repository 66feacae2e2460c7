import type { ReactNode } from 'react'
import { formatDuration, formatShare } from '../../app/format.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { useLiveData } from '../../stores/live.ts'
import { useRunSummary } from '../../stores/runs.ts'
import { CostFact } from './cost-fact.tsx'
import { phaseOf, silentShare, timeLeftMs } from './figures.ts'
import { Heartbeats } from './heartbeats.tsx'
import { RunControls } from './run-controls.tsx'

/** What runs, how far it is, how long it still takes, what it has come to, and who was heard when. */
export function LiveHeader({ run }: { run: string }) {
  const data = useLiveData()
  const summary = useRunSummary(run)
  const { head } = data
  const phase = phaseOf(head)
  const silent = silentShare(data)
  const left = head?.stage === 'grpo' && head.phase === 'running' ? timeLeftMs(data, head.planned) : null
  return (
    <HeaderSlot>
      <h1 className="live-title" title={run}>
        {head?.spec?.name ?? summary?.name ?? run}
      </h1>
      <Pill tone={phase.tone}>{phase.label}</Pill>
      <Fact label="step">
        {head?.step ?? '–'}
        <small> of {head?.planned ?? '–'}</small>
      </Fact>
      {left === null ? null : (
        <Fact label="left" title="The latest steps' median pace, without the final evaluation">
          {formatDuration(left)}
        </Fact>
      )}
      <Fact
        label="silent groups"
        spare
        title={`${silent.silent} of ${silent.groups} groups of finished steps`}
      >
        {formatShare(silent.silent, silent.groups)}
      </Fact>
      <HeldOut run={run} />
      <CostFact />
      <span className="header-right">
        <Heartbeats />
        <RunControls run={run} />
      </span>
    </HeaderSlot>
  )
}

type FactProps = { label: string; title?: string; spare?: boolean; children: ReactNode }

/** A figure of the header. A spare one stands elsewhere too, and makes room in a narrow window. */
function Fact({ label, title, spare, children }: FactProps) {
  return (
    <span className={spare ? 'fact fact-spare' : 'fact'} title={title}>
      {label} <b>{children}</b>
    </span>
  )
}

/** The audit's view of the fixed draws before and after; where there is no audit, the run's own verifier's, and it says so. */
function HeldOut({ run }: { run: string }) {
  const summary = useRunSummary(run)
  const { head } = useLiveData()
  if (!summary) return null
  const audited = summary.auditSuite !== null
  const own = (policy: string) => {
    const row = head?.evals.find((candidate) => candidate.policy === policy)
    return row && row.drawn > 0 ? { passed: row.passed, graded: row.drawn } : null
  }
  const before = audited ? summary.passRateBefore : own('baseline')
  const after = audited ? summary.passRateAfter : own('final')
  const judge = audited
    ? `pass the audit suite ${summary.auditSuite}`
    : 'pass the run’s own suite; there is no audit'
  const words = (rate: { passed: number; graded: number } | null) =>
    rate ? `${rate.passed} of ${rate.graded}` : 'not drawn yet'
  return (
    <Fact
      label={audited ? 'held-out' : 'own suite'}
      title={`Fixed draws that ${judge}: before ${words(before)}, after ${words(after)}`}
    >
      {before ? formatShare(before.passed, before.graded) : '–'} →{' '}
      {after ? formatShare(after.passed, after.graded) : '–'}
    </Fact>
  )
}

import { formatCount, formatDuration, formatShare } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { useLive, useLiveData } from '../../stores/live.ts'
import { useRunSummary } from '../../stores/runs.ts'
import { AlarmList } from './alarm-list.tsx'
import { ClusterCard } from './cluster-card.tsx'
import './side-column.css'
import { PeekCard } from './peek-card.tsx'
import { VerifierCard } from './verifier-card.tsx'

/** What wants a decision: alarms, then the rollout under the cursor, then the verifier. */
export function SideColumn({ run }: { run: string }) {
  return (
    <aside className="side" aria-label="Alarms, rollout and verifier">
      <FinishedCard run={run} />
      <AlarmList run={run} />
      <PeekCard />
      <VerifierCard />
      <ClusterCard run={run} />
    </aside>
  )
}

/** What a finished run came to, and what comes next. */
function FinishedCard({ run }: { run: string }) {
  const { head } = useLiveData()
  const watched = useLive((state) => state.run)
  const summary = useRunSummary(watched)
  if (head?.phase !== 'finished') return null
  // Another trainer's files say when they were written, not how long it took.
  const wall =
    !head.imported && head.startedAt && head.lastAt
      ? Date.parse(head.lastAt) - Date.parse(head.startedAt)
      : null
  const rate = (value: { passed: number; graded: number } | null | undefined) =>
    value ? `${formatShare(value.passed, value.graded)}, ${value.passed} of ${value.graded}` : 'not drawn'
  return (
    <section className="card finished" aria-labelledby="finished-title">
      <h2 id="finished-title" className="card-title">
        Run {head.outcome} <small>{formatDuration(wall)}</small>
      </h2>
      {head.reason && <p className="dim">{head.reason}</p>}
      <dl className="peek-facts">
        <dt>rollouts</dt>
        <dd>{formatCount(head.rollouts)}</dd>
        <dt>held-out before</dt>
        <dd>{rate(summary?.passRateBefore)}</dd>
        <dt>held-out after</dt>
        <dd>{rate(summary?.passRateAfter)}</dd>
        <dt>still held</dt>
        <dd>{summary ? `${summary.leases} leases` : '–'}</dd>
      </dl>
      <p className="finished-doors">
        <a href={href({ view: 'rollouts', run, filter: '' })}>Rollouts</a>
        <a href={href({ view: 'audit', run })}>Audit</a>
        <a href={href({ view: 'teardown', run })}>Tear down</a>
      </p>
    </section>
  )
}

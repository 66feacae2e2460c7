import type { AuditView, RolloutDetail, TriageRow, Verdict } from '#shared/ipc/contract.ts'
import { BodyPane } from '../../components/rollout/body-pane.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { EvidenceSide } from './evidence-side.tsx'
import { VerdictBar } from './verdict-bar.tsx'
import { judge, useVerdicts } from './verdict-store.ts'

type Props = {
  audit: AuditView
  row: TriageRow
  filter: string
  onUndo: () => void
  onJudgeAll: (verdict: Verdict) => void
}

/** The program at hand: its body beside another, and what its grades rest on. */
export function Program({ audit, row, filter, onUndo, onJudgeAll }: Props) {
  const { run } = audit
  const { bodySha256 } = row
  const detail = useRequest('rollouts.get', { rollout: row.firstRollout })
  const undoable = useVerdicts((state) => state.undo.some((step) => step.run === run))
  const judged = { verdict: row.verdict, note: row.note }
  const mechanism = audit.mechanisms.find(({ id }) => id === row.group) ?? null
  return (
    <>
      {detail.value !== null ? (
        <BodyPane detail={detail.value} title={<ProgramTitle row={row} detail={detail.value} />} />
      ) : (
        <section className="panel body-pane">
          {detail.error === null ? (
            <Loading what="the body" />
          ) : (
            <Failure error={detail.error} onRetry={detail.reload} />
          )}
        </section>
      )}
      <div className="triage-side">
        <EvidenceSide run={run} mechanism={mechanism} row={row} filter={filter} detail={detail.value} />
        <VerdictBar
          judged={judged}
          judgeable={bodySha256 !== null}
          undoable={undoable}
          onUndo={onUndo}
          onJudge={(after) => bodySha256 !== null && void judge(run, [{ bodySha256, before: judged, after }])}
          onJudgeAll={onJudgeAll}
        />
      </div>
    </>
  )
}

function ProgramTitle({ row, detail }: { row: TriageRow; detail: RolloutDetail }) {
  const { passed, tests } = detail.row
  const { audit } = row
  return (
    <span className="program-title">
      <span className="mono">{row.bodySha256?.slice(0, 6) ?? 'no body'}</span>
      <span className={row.status === 'passed' ? 'accepted' : undefined}>
        passed {passed ?? '–'}/{tests ?? '–'}
      </span>
      {audit === null ? null : (
        <span className={audit.status === 'passed' ? 'accepted' : 'rejected'}>
          audit {audit.passed ?? '–'}/{audit.total ?? '–'}
        </span>
      )}
    </span>
  )
}

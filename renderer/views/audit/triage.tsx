import { toast } from 'sonner'
import type { AuditView, Mechanism, Verdict } from '#shared/ipc/contract.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import { BodyPane } from '../../components/rollout/body-pane.tsx'
import { download } from '../../components/rollout/download.ts'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { EvidenceSide } from './evidence-side.tsx'
import { MechanismList } from './mechanism-list.tsx'
import { exportVerdicts, type Given, neighbourOf, nextOpen, type ReviewBody } from './review.ts'
import { VerdictBar } from './verdict-bar.tsx'
import { type Change, judge, undoLast, useVerdicts } from './verdict-store.ts'

type Props = {
  audit: AuditView
  bodies: ReviewBody[]
  given: Given
  selected: string
  onSelect: (bodySha256: string) => void
}

/** The three panes: which, how it differs, why it is wrong. */
export function Triage({ audit, bodies, given, selected, onSelect }: Props) {
  const { run } = audit
  const body = bodies.find((one) => one.bodySha256 === selected) ?? bodies[0]
  const move = (to: string | null) => {
    if (to !== null) onSelect(to)
  }
  useKeys('Audit', [
    { keys: 'j', label: 'next program', run: () => move(neighbourOf(bodies, selected, 1)) },
    { keys: 'k', label: 'previous program', run: () => move(neighbourOf(bodies, selected, -1)) },
    {
      keys: 'n',
      label: 'next open',
      footer: true,
      run: () => {
        const next = nextOpen(bodies, selected)
        if (next === null) toast('Every program has a verdict.')
        move(next)
      },
    },
    {
      keys: 'e',
      label: 'export',
      footer: true,
      run: () => download(`${run}-false-acceptances.jsonl`, exportVerdicts(audit, given)),
    },
    {
      keys: 'Enter',
      label: 'open the rollout',
      run: () => body && go({ view: 'rollout', rollout: body.firstRollout, filter: 'is:false_acceptance' }),
    },
  ])
  const mechanism = audit.mechanisms.find((one) => one.id === body?.mechanism)
  if (body === undefined || mechanism === undefined) return null
  return (
    <div className="triage">
      <MechanismList audit={audit} bodies={bodies} selected={body.bodySha256} onSelect={onSelect} />
      <Program
        key={body.bodySha256}
        audit={audit}
        mechanism={mechanism}
        body={body}
        onUndo={() => void undoLast(run).then(move)}
        onJudgeAll={(verdict) => void judge(run, openOf(bodies, mechanism.id, verdict))}
      />
    </div>
  )
}

/** The same said of every program of a mechanism that nothing was said of yet. */
const openOf = (bodies: ReviewBody[], mechanism: string, verdict: Verdict): Change[] =>
  bodies
    .filter((body) => body.mechanism === mechanism && body.verdict === null)
    .map(({ bodySha256, note }) => ({
      bodySha256,
      before: { verdict: null, note },
      after: { verdict, note },
    }))

type ProgramProps = {
  audit: AuditView
  mechanism: Mechanism
  body: ReviewBody
  onUndo: () => void
  onJudgeAll: (verdict: Verdict) => void
}

function Program({ audit, mechanism, body, onUndo, onJudgeAll }: ProgramProps) {
  const { run } = audit
  const detail = useRequest('rollouts.get', { rollout: body.firstRollout })
  const undoable = useVerdicts((state) => state.undo.some((step) => step.run === run))
  const judged = { verdict: body.verdict, note: body.note }
  return (
    <>
      {detail.value !== null ? (
        <BodyPane detail={detail.value} title={<ProgramTitle body={body} detail={detail.value} />} />
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
        <EvidenceSide run={run} mechanism={mechanism} body={body} detail={detail.value} />
        <VerdictBar
          judged={judged}
          undoable={undoable}
          onUndo={onUndo}
          onJudge={(after) => void judge(run, [{ bodySha256: body.bodySha256, before: judged, after }])}
          onJudgeAll={onJudgeAll}
        />
      </div>
    </>
  )
}

function ProgramTitle({
  body,
  detail,
}: {
  body: ReviewBody
  detail: { row: { passed: number | null; tests: number | null } }
}) {
  const { passed, tests } = detail.row
  return (
    <span className="program-title">
      <span className="mono">{body.bodySha256.slice(0, 6)}</span>
      <span className="accepted">
        passed {passed ?? '–'}/{tests ?? '–'}
      </span>
      <span className="rejected">
        audit {body.passed ?? '–'}/{body.total ?? '–'}
      </span>
    </span>
  )
}

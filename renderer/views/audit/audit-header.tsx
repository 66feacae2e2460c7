import type { AuditView } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { useRunSummary } from '../../stores/runs.ts'
import { door, doors } from './doors.ts'
import { useWork } from './repair-store.ts'
import type { ReviewBody } from './review.ts'

type Props = { audit: AuditView; bodies: ReviewBody[]; onStart?: () => void }

export function AuditHeader({ audit, bodies, onStart }: Props) {
  const { run, state, audited, unresolved } = audit
  const summary = useRunSummary(run)
  const draws = audit.mechanisms.reduce((sum, mechanism) => sum + mechanism.draws, 0)
  return (
    <HeaderSlot>
      <h1>False acceptances</h1>
      <span className="dim">{summary?.name ?? run}</span>
      {state === 'none' ? null : (
        <span className="dim">
          <a className="figure" href={door(run, doors.acceptedWrong)}>
            <b className={draws > 0 ? 'rejected' : undefined}>{plural(draws, 'draw')}</b>
          </a>{' '}
          · {plural(bodies.length, 'program')} · of{' '}
          <a className="figure" href={door(run, doors.audited)}>
            {formatCount(audited)} audited
          </a>
          , {formatCount(unresolved)} unresolved
        </span>
      )}
      <span className="audit-state">
        <Work run={run} />
        <Progress audit={audit} onStart={onStart} />
      </span>
    </HeaderSlot>
  )
}

/** What is being made of the findings right now; silent where nothing is. */
function Work({ run }: { run: string }) {
  const busy = useWork((state) => state.busy[run])
  if (busy === undefined) return null
  return <Pill tone="accent">{busy === 'explaining' ? 'shrinking witnesses' : 'repairing the suite'}</Pill>
}

function Progress({ audit, onStart }: { audit: AuditView; onStart: (() => void) | undefined }) {
  const { state, audited, bodies } = audit
  if (state === 'running') {
    return (
      <Pill tone="accent">
        auditing {formatCount(audited)} of {formatCount(bodies)}
      </Pill>
    )
  }
  const left = bodies - audited
  if (state === 'done' && left > 0 && onStart) {
    return <Button onClick={onStart}>Audit the other {formatCount(left)} draws</Button>
  }
  return state === 'done' ? <Pill tone="good">all {formatCount(audited)} audited</Pill> : null
}

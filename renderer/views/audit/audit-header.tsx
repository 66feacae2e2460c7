import type { AuditView } from '#shared/ipc/contract.ts'
import { formatCount, formatNumber, plural } from '../../app/format.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { useRunSummary } from '../../stores/runs.ts'
import { askAudit } from './ask-audit.ts'
import { door, doors } from './doors.ts'
import { useWork, type Work } from './repair-store.ts'
import { ofShare, shares } from './share.ts'

export function AuditHeader({ audit }: { audit: AuditView }) {
  const { run, state, audited, unresolved, mechanisms, share } = audit
  const summary = useRunSummary(run)
  const sum = (of: 'draws' | 'programs') => mechanisms.reduce((all, mechanism) => all + mechanism[of], 0)
  const sample = ofShare(share)
  return (
    <HeaderSlot>
      <h1>Audit</h1>
      <span className="dim header-name">{summary?.name ?? run}</span>
      {state === 'none' ? null : (
        <span className="dim">
          <a className="figure" href={door(run, doors.acceptedWrong)}>
            <b className={sum('draws') > 0 ? 'rejected' : undefined}>
              {plural(sum('draws'), 'false acceptance')}
            </b>
          </a>{' '}
          · {plural(sum('programs'), 'program')} · of{' '}
          <a className="figure" href={door(run, doors.audited)}>
            {formatCount(audited)} audited
          </a>
          , {formatCount(unresolved)} unresolved{sample === '' ? '' : ` · ${sample}`}
        </span>
      )}
      <span className="audit-state">
        <Busy run={run} />
        {audit.audit === null ? null : <Share audit={audit} />}
        <Progress audit={audit} />
      </span>
    </HeaderSlot>
  )
}

const doing: Record<Work, string> = {
  explaining: 'shrinking witnesses',
  repairing: 'repairing the suite',
  regrading: 'grading by one more suite',
}

/** What is being made of the findings right now; silent where nothing is. */
function Busy({ run }: { run: string }) {
  const busy = useWork((state) => state.busy[run])
  return busy === undefined ? null : <Pill tone="accent">{doing[busy]}</Pill>
}

/** How many of the accepted programs are audited, also of those that are still to come. */
function Share({ audit: { run, share } }: { audit: AuditView }) {
  const offered = shares.includes(share) ? shares : [share, ...shares]
  return (
    <label className="audit-sample" title="Of the programs that training accepts, chosen by their hashes">
      audit{' '}
      <select
        className="select"
        value={share}
        onChange={(event) => void askAudit(run, Number(event.target.value), false)}
      >
        {offered.map((one) => (
          <option key={one} value={one}>
            {one === 1 ? 'all accepted' : `${formatNumber(100 * one)} % of accepted`}
          </option>
        ))}
      </select>
    </label>
  )
}

function Progress({ audit }: { audit: AuditView }) {
  const { run, state, audited, bodies, share, trouble } = audit
  if (trouble !== null) return <Pill tone="bad">the audit does not answer</Pill>
  if (state === 'running') {
    return (
      <Pill tone="accent">
        auditing {formatCount(audited)} of {formatCount(bodies)}
      </Pill>
    )
  }
  const left = bodies - audited
  if (state === 'done' && left > 0 && share === 1) {
    return (
      <Button onClick={() => void askAudit(run, share, true)}>
        Audit the other {formatCount(left)} draws
      </Button>
    )
  }
  return state === 'done' && left === 0 ? <Pill tone="good">all {formatCount(audited)} audited</Pill> : null
}

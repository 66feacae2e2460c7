import type { Status } from '#shared/domain/grade.ts'
import { formatReward } from '../../app/format.ts'
import { statusInfo } from '../marks/status-info.ts'
import './rollout.css'

/** `57/57`; a dash where nothing was counted. */
export function Score({ passed, total }: { passed: number | null; total: number | null }) {
  if (passed === null || total === null) return <span className="faint">–</span>
  return (
    <span>
      {passed}
      <span className="dim">/{total}</span>
    </span>
  )
}

type AuditProps = {
  accepted: boolean
  audit: { status: Status; passed: number | null; total: number | null } | null
}

/** The audit's view of a body; lit where the run's verifier accepted what the audit rejects. */
export function AuditScore({ accepted, audit }: AuditProps) {
  if (audit === null) {
    return (
      <span className="faint" title="not audited">
        –
      </span>
    )
  }
  if (audit.passed === null || audit.total === null)
    return <span className="dim">{statusInfo(audit.status).label}</span>
  const wrong = accepted && audit.status !== 'passed'
  return wrong ? (
    <b className="false-acceptance" title="a false acceptance: accepted in training, rejected by the audit">
      {audit.passed}/{audit.total}
    </b>
  ) : (
    <Score passed={audit.passed} total={audit.total} />
  )
}

/** A reward; `null` in words, in the hollow mark's colour, so that it never reads as a zero. */
export function Reward({ value }: { value: number | null }) {
  return value === null ? <span className="null-reward">null</span> : <span>{formatReward(value)}</span>
}

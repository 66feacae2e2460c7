import { isGraded } from '#shared/domain/grade.ts'
import type { AuditView } from '#shared/ipc/contract.ts'
import type { BodyRow } from '../store/store.ts'

type Confusion = AuditView['confusion'][number]

/** Whether the audit holds the body right; null where it has not said, or only silence. */
export function isRight(body: BodyRow): boolean | null {
  if (!body.audit || !isGraded(body.audit.status)) return null
  return body.audit.status === 'passed'
}

/** Whether the run's verifier accepted the body; null where its last word is silence. */
export function isAccepted(body: BodyRow): boolean | null {
  if (body.accepted > 0) return true
  return body.status === 'pending' || !isGraded(body.status) ? null : false
}

/**
 * The run's verifier against the audit, by draws and by distinct programs. What either of them has not said is `unknown`, neither accepted nor
 * rejected and in no other cell.
 */
export function confusionOf(bodies: readonly BodyRow[]): Confusion[] {
  return [tally('draws', bodies, (body) => body.rollouts), tally('programs', bodies, () => 1)]
}

function tally(
  by: Confusion['by'],
  bodies: readonly BodyRow[],
  weight: (body: BodyRow) => number,
): Confusion {
  const row: Confusion = {
    by,
    acceptedRight: 0,
    acceptedWrong: 0,
    rejectedRight: 0,
    rejectedWrong: 0,
    unknown: 0,
  }
  for (const body of bodies) row[cellOf(body)] += weight(body)
  return row
}

function cellOf(body: BodyRow): Exclude<keyof Confusion, 'by'> {
  const right = isRight(body)
  const accepted = isAccepted(body)
  if (right === null || accepted === null) return 'unknown'
  if (accepted) return right ? 'acceptedRight' : 'acceptedWrong'
  return right ? 'rejectedRight' : 'rejectedWrong'
}

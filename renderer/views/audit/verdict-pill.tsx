import type { Verdict } from '#shared/ipc/contract.ts'
import { verdictLabel } from './review.ts'

export function VerdictPill({ verdict }: { verdict: Verdict | null }) {
  return (
    <span className={`verdict-pill verdict-${verdict ?? 'open'}`}>
      {verdict === null ? 'open' : verdictLabel(verdict)}
    </span>
  )
}

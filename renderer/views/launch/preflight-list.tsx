import { Circle, CircleCheck, type LucideIcon, OctagonX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { PreflightRow } from '#shared/ipc/contract.ts'
import { formatDuration } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { overrideCheck, useLaunch } from '../../stores/launch.ts'
import { leastReason } from './draft-rules.ts'
import './preflight.css'

const looks: Record<PreflightRow['state'], { icon: LucideIcon; word: string }> = {
  running: { icon: Circle, word: 'checking' },
  passed: { icon: CircleCheck, word: 'passed' },
  warned: { icon: TriangleAlert, word: 'warning' },
  failed: { icon: OctagonX, word: 'failed' },
}

/** Each check with its state as shape, colour and word, what it found, how long it took, and what to do. */
export function PreflightList({ onRetry }: { onRetry?: () => void }) {
  const rows = useLaunch((state) => state.rows)
  return (
    <ol className="preflight" aria-label="Preflight" aria-live="polite">
      {rows.map((row) => {
        const { icon: Icon, word } = looks[row.state]
        return (
          <li key={row.check} className={`preflight-row preflight-${row.state}`}>
            <Icon size={15} aria-label={word} />
            <span className="preflight-text">
              <b>{row.label}</b>
              {row.detail && <span className="preflight-detail">{row.detail}</span>}
              {row.state !== 'passed' && row.remedy && <span className="preflight-remedy">{row.remedy}</span>}
              {row.overridable && row.state === 'failed' && onRetry && (
                <Override row={row} onRetry={onRetry} />
              )}
            </span>
            <span className="preflight-time">{row.ms === null ? <Age /> : formatDuration(row.ms)}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** How long a check goes on, once that is long. */
function Age() {
  const [since] = useState(() => Date.now())
  const ms = useNow() - since
  // Not for a screen reader, which would be told of every second.
  return ms < 2000 ? null : <span aria-hidden>{formatDuration(ms)}</span>
}

/** A failed check may be overridden only by a reason in words, which is kept in the run's record for ever. */
function Override({ row, onRetry }: { row: PreflightRow; onRetry: () => void }) {
  const [reason, setReason] = useState('')
  const missing = leastReason - reason.trim().length
  return (
    <form
      className="override"
      onSubmit={(event) => {
        event.preventDefault()
        overrideCheck(row.check, reason.trim())
        onRetry()
      }}
    >
      <Field
        label="Launch all the same, because"
        about={
          missing > 0 ? `${missing} more characters; kept in the run’s record` : 'Kept in the run’s record.'
        }
      >
        {(ids) => <input {...ids} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <Button type="submit" disabled={missing > 0}>
        Override and check again
      </Button>
    </form>
  )
}

import { useMemo } from 'react'
import type { TriageRow, Verdict } from '#shared/ipc/contract.ts'
import { formatCount } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { countVerdicts, verdicts } from './review.ts'

/** How far the review is, and what it found. Open ones come last, so that the bar fills from the left. */
export function ReviewPanel({ rows: listed }: { rows: readonly TriageRow[] }) {
  const counts = useMemo(() => countVerdicts(listed), [listed])
  const rows: { verdict: Verdict | null; label: string }[] = [...verdicts, { verdict: null, label: 'open' }]
  const open = counts.get(null)?.programs ?? 0
  return (
    <Panel
      title="Review"
      note="programs"
      aside={`${formatCount(listed.length - open)} of ${formatCount(listed.length)}`}
      className="audit-review"
    >
      <div className="review-bar" aria-hidden="true">
        {rows.map(({ verdict, label }) => (
          <i
            key={label}
            className={`verdict-${verdict ?? 'open'}`}
            style={{ flexGrow: counts.get(verdict)?.programs ?? 0 }}
          />
        ))}
      </div>
      <dl className="review-counts">
        {rows.map(({ verdict, label }) => {
          const count = counts.get(verdict)
          return (
            <div key={label} className={count ? undefined : 'nil'}>
              <dt>
                <i className={`verdict-${verdict ?? 'open'}`} /> {label}
              </dt>
              <dd title={count ? `${formatCount(count.draws)} draws` : undefined}>
                {formatCount(count?.programs ?? 0)}
              </dd>
            </div>
          )
        })}
      </dl>
    </Panel>
  )
}

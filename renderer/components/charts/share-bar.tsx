import { isGraded, statuses } from '#shared/domain/grade.ts'
import type { StatusCounts } from '#shared/journal/state.ts'
import { formatShare } from '../../app/format.ts'
import { statusInfo } from '../marks/status-info.ts'
import './share-bar.css'

/** Statuses' shares of a whole as one bar; what is not graded is hollow. Its label says the same in words. */
export function ShareBar({ counts }: { counts: StatusCounts }) {
  const present = statuses.filter((status) => (counts[status] ?? 0) > 0)
  const total = present.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
  const words = present
    .map((status) => `${statusInfo(status).label} ${formatShare(counts[status] ?? 0, total)}`)
    .join(', ')
  return (
    <span className="share-bar" role="img" aria-label={words || 'no rollouts'} title={words}>
      {present.map((status) => (
        <i
          key={status}
          className={isGraded(status) ? undefined : 'share-hollow'}
          style={{
            flexGrow: counts[status] ?? 0,
            color: `var(--${statusInfo(status).token.replaceAll('_', '-')})`,
          }}
        />
      ))}
    </span>
  )
}

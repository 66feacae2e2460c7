import { statuses } from '#shared/domain/grade.ts'
import { formatCount, formatNumber, formatReward, unknown } from '../../app/format.ts'
import { href } from '../../app/router.ts'
import { Legend } from '../../components/marks/legend.tsx'
import type { MarkStatus } from '../../components/marks/status-info.ts'
import { useRunSummary } from '../../stores/runs.ts'
import type { ListKey, Summary } from './rollout-list.ts'

const order: MarkStatus[] = [...statuses, 'pending']

/** Counts over the whole filtered list; each narrows the list to what it counts. */
export function SummaryStrip({ list, summary }: { list: ListKey; summary: Summary }) {
  const narrowed = (term: string) =>
    href({ view: 'rollouts', run: list.run, filter: `${list.filter} ${term}`.trim(), sort: list.sort })
  const share = useRunSummary(list.run)?.auditShare ?? 1
  return (
    <div className="rollouts-summary">
      <Legend
        label="Rollouts by status"
        entries={order.flatMap((status) => {
          const count = summary.byStatus[status] ?? 0
          if (count === 0) return []
          return [{ status, count, href: status === 'pending' ? undefined : narrowed(`status:${status}`) }]
        })}
      />
      <span className="rollouts-figures">
        {summary.falseAcceptances > 0 ? (
          <a className="false-figure" href={narrowed('is:false_acceptance')}>
            <b>{formatCount(summary.falseAcceptances)}</b> false{' '}
            {summary.falseAcceptances === 1 ? 'acceptance' : 'acceptances'}
          </a>
        ) : null}
        <a href={narrowed('-is:unaudited -status:no_answer')}>
          <b>{formatCount(summary.audited)}</b> audited{sampled(share)}
        </a>
        <span title="over rollouts with a reward">
          mean reward <b>{summary.rewardMean === null ? unknown : formatReward(summary.rewardMean)}</b>
        </span>
      </span>
    </div>
  )
}

/** What was not asked for is no false acceptance that was looked for in vain. */
const sampled = (share: number) =>
  share < 1 ? `, a sample of ${formatNumber(100 * share)} % of accepted programs` : ''

import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { RolloutRow } from '#shared/ipc/contract.ts'
import { formatCount, formatSigned } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go, href } from '../../app/router.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { StatusLabel } from '../../components/marks/mark.tsx'
import { rolloutName } from '../../components/rollout/rollout-name.ts'
import { AuditScore, Reward, Score } from '../../components/rollout/scores.tsx'
import { Button } from '../../components/ui/button.tsx'

type Place = {
  run: string
  filter: string
  sort: RolloutSort
  rollout: string
  /** From 0; null where the filter leaves this rollout out. */
  position: number | null
  total: number | null
}
type Props = { row: RolloutRow | null; place: Place; next: string | null; previous: string | null }

/** Which rollout, how it was graded, and where it stands in the list that led here. */
export function RolloutHeader({ row, place, next, previous }: Props) {
  const { run, filter, sort, rollout } = place
  const to = (id: string | null) =>
    id !== null && go({ view: 'rollout', rollout: id, filter, sort }, 'replace')
  const back = { view: 'rollouts', run, filter, sort } as const
  useKeys('Rollout', [
    { keys: 'j', label: 'next', footer: true, run: () => to(next) },
    { keys: 'k', label: 'previous', footer: true, run: () => to(previous) },
    { keys: 'Escape', show: 'esc', label: 'the list', run: () => go(back) },
  ])
  return (
    <HeaderSlot>
      <h1>{rolloutName(rollout)}</h1>
      {row === null ? null : (
        <>
          <StatusLabel status={row.status} />
          <span>
            <span className="dim">reward </span>
            <Reward value={row.reward} />
          </span>
          <span>
            <span className="dim">tests </span>
            <Score passed={row.passed} total={row.tests} />
          </span>
          <span>
            <span className="dim">audit </span>
            <AuditScore accepted={row.status === 'passed'} audit={row.audit} />
          </span>
          {row.phase === 'train' ? (
            <span>
              <span className="dim">advantage </span>
              {formatSigned(row.advantage)}
            </span>
          ) : null}
        </>
      )}
      <span className="rollout-place">
        <a href={href(back)} className="figure" title="Back to the list">
          {filter === '' ? <span className="dim">all rollouts</span> : <code className="dim">{filter}</code>}
        </a>
        <span role="status">{describePlace(place)}</span>
        <Button
          look="quiet"
          aria-label="Previous rollout"
          disabled={previous === null}
          onClick={() => to(previous)}
        >
          <ChevronLeft size={15} aria-hidden />
        </Button>
        <Button look="quiet" aria-label="Next rollout" disabled={next === null} onClick={() => to(next)}>
          <ChevronRight size={15} aria-hidden />
        </Button>
      </span>
    </HeaderSlot>
  )
}

function describePlace({ position, total }: Place): string {
  if (total === null) return ''
  if (position === null) return `not among ${formatCount(total)}`
  return `${formatCount(position + 1)} of ${formatCount(total)}`
}

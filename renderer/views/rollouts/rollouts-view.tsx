import { useCallback } from 'react'
import { go, useRoute } from '../../app/router.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { Empty } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import { RolloutsOfRun } from './rollouts-of-run.tsx'
import './rollouts.css'

/** Every rollout of a run, filtered by one line that is kept in the address and drives next, previous and export. */
export function RolloutsView() {
  const route = useRoute()
  const [named, filter, sort] =
    route.view === 'rollouts'
      ? [route.run, route.filter, route.sort ?? 'order']
      : [null, '', 'order' as const]
  const run = useCurrentRun(named)
  const move = useCallback(
    (next: { filter?: string; sort?: RolloutSort }) =>
      go({ view: 'rollouts', run, filter, sort, ...next }, 'replace'),
    [run, filter, sort],
  )
  if (run === null) {
    return (
      <Empty title="No run yet">
        <p className="dim">Rollouts appear here as soon as a run has drawn one.</p>
      </Empty>
    )
  }
  return <RolloutsOfRun list={{ run, filter, sort }} onMove={move} />
}

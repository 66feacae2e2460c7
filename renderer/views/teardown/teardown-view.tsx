import { useRoute } from '../../app/router.ts'
import { Empty } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import './teardown.css'
import { TeardownOfRun } from './teardown-of-run.tsx'

/** Gives back all that a run holds: what would be done first, then the proof of each. */
export function TeardownView() {
  const route = useRoute()
  const run = useCurrentRun(route.view === 'teardown' ? route.run : null)
  if (run === null) {
    return (
      <Empty title="Nothing is held">
        <p className="dim">No run has been started on this data folder.</p>
      </Empty>
    )
  }
  return <TeardownOfRun key={run} run={run} />
}

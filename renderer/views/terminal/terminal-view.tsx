import { useState } from 'react'
import { useRoute } from '../../app/router.ts'
import { Empty } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import { LogPane } from './log-pane.tsx'
import type { Stream } from './streams.ts'
import './terminal.css'

/** What the programs of a run wrote, as it is written. */
export function TerminalView() {
  const route = useRoute()
  const run = useCurrentRun(route.view === 'terminal' ? route.run : null)
  const [stream, setStream] = useState<Stream>('trainer')
  if (run === null) {
    return (
      <Empty title="No run yet">
        <p className="dim">The logs of a run’s trainer, verifier and supervisor are followed here.</p>
      </Empty>
    )
  }
  return <LogPane key={`${run}/${stream}`} run={run} stream={stream} onStream={setStream} />
}

import { useEffect } from 'react'
import { href, useRoute } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import { pullLive, useLive, useLiveData, watchRun } from '../../stores/live.ts'
import { useLiveFocus } from '../../stores/live-focus.ts'
import { useRuns } from '../../stores/runs.ts'
import { StageBanner } from './before-steps.tsx'
import { ChartBoard } from './chart-board.tsx'
import './live.css'
import { LiveHeader } from './live-header.tsx'
import { SideColumn } from './side-column.tsx'
import { useLiveKeys } from './use-live-keys.ts'

/** Watches one run: the one of the address, else the one last looked at, else the newest. */
export function LiveView() {
  const route = useRoute()
  const run = useCurrentRun(route.view === 'live' ? route.run : null)
  const loaded = useRuns((state) => state.runs !== null)
  useEffect(() => {
    watchRun(run)
    return () => useLiveFocus.setState({ step: null, hovered: null, selected: null, zoom: null })
  }, [run])
  useEffect(() => () => watchRun(null), [])
  if (run !== null) return <Watching run={run} />
  if (!loaded) return <Loading what="the list of runs" />
  return (
    <>
      <HeaderSlot>
        <h1>Live</h1>
      </HeaderSlot>
      <Empty title="No run to watch">
        <p className="dim">Launch one, and every rollout’s reward appears here as it is graded.</p>
        <ButtonLink look="primary" href={href({ view: 'launch' })}>
          Launch a run
        </ButtonLink>
      </Empty>
    </>
  )
}

function Watching({ run }: { run: string }) {
  const data = useLiveData()
  const error = useLive((state) => state.error)
  const spoken = useLiveKeys(run)
  if (error && !data.head)
    return (
      <>
        <HeaderSlot>
          <h1>{run}</h1>
        </HeaderSlot>
        <Failure error={error} meaning="The run itself is not affected." onRetry={pullLive} />
      </>
    )
  return (
    <div className="live">
      <LiveHeader run={run} />
      <div className="live-main">
        {error && (
          <p className="live-stale" role="status">
            {error.message} What is shown is what was last known; it is asked for again.
          </p>
        )}
        <StageBanner />
        <ChartBoard />
      </div>
      <SideColumn run={run} />
      <p className="visually-hidden" aria-live="polite">
        {spoken}
      </p>
    </div>
  )
}

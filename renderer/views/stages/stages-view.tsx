import { useRoute } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useCurrentRun } from '../../stores/current-run.ts'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'
import { AdapterPanel } from './adapter-panel.tsx'
import { CostLine } from './cost-line.tsx'
import './stages.css'
import { Timeline } from './timeline.tsx'

/** What a run is made of, stage by stage, and the adapters that came of it. */
export function StagesView() {
  const route = useRoute()
  const run = useCurrentRun(route.view === 'stages' ? route.run : null)
  if (run === null) {
    return (
      <Empty title="No run yet">
        <p className="dim">Launch one, and its stages appear here.</p>
      </Empty>
    )
  }
  return <StagesOfRun key={run} run={run} />
}

function StagesOfRun({ run }: { run: string }) {
  const seq = useSignals((state) => state.seqs[run] ?? 0)
  const { value, error, reload } = useRequest('runs.state', { run }, seq)
  return (
    <>
      <HeaderSlot>
        <h1>Stages</h1>
        <span className="dim">{value?.summary.name ?? run}</span>
        <span className="mono dim">{run}</span>
      </HeaderSlot>
      <div className="stages">
        {error !== null && value === null ? (
          <Failure error={error} meaning="The run itself is not affected." onRetry={reload} />
        ) : value === null ? (
          <Loading what="the stages" />
        ) : (
          <>
            <Timeline state={value.state} spec={value.spec} />
            <CostLine state={value.state} spec={value.spec} />
            {value.spec.trainer.kind === 'pipeline' ? (
              <AdapterPanel run={run} signal={value.state.stages.length + (value.state.outcome ? 1 : 0)} />
            ) : (
              <p className="dim">The embedded trainer has no adapters: its policy is a handful of numbers.</p>
            )}
          </>
        )}
      </div>
    </>
  )
}

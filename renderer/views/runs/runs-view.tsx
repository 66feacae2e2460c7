import { Download, FolderOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { plural } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go, href, useLastRun } from '../../app/router.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { download, jsonl } from '../../components/rollout/download.ts'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useLaunch } from '../../stores/launch.ts'
import { pullRuns, useRuns } from '../../stores/runs.ts'
import { DemoCard } from '../launch/demo-card.tsx'
import '../launch/launch.css'
import { PreflightList } from '../launch/preflight-list.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { RunsTable } from './runs-table.tsx'
import './runs.css'

/** Every run: what it is, how far it is, what it came to, and what it still holds. */
export function RunsView() {
  const { runs, error } = useRuns()
  const [importing, setImporting] = useState(false)
  const going = runs?.filter((run) => run.phase !== 'finished').length ?? 0
  return (
    <>
      <HeaderSlot>
        <h1>Runs</h1>
        {runs && runs.length > 0 ? (
          <span className="dim">
            {plural(runs.length, 'run')}, {going} under way
          </span>
        ) : null}
        <span className="header-right">
          {runs && runs.length > 0 && (
            <Button
              onClick={() => download('runs.jsonl', jsonl(runs))}
              title="Save the list of runs as JSONL"
            >
              <Download size={13} aria-hidden /> JSONL
            </Button>
          )}
          <Button onClick={() => setImporting(true)}>
            <FolderOpen size={13} aria-hidden /> Open another trainer’s
          </Button>
          <ButtonLink href={href({ view: 'launch' })}>
            <Plus size={13} aria-hidden /> New run
          </ButtonLink>
        </span>
      </HeaderSlot>
      <ImportDialog open={importing} onClose={() => setImporting(false)} />
      {runs === null ? (
        error ? (
          <Failure error={error} onRetry={pullRuns} meaning="Runs go on; only their list is missing." />
        ) : (
          <Loading what="runs" />
        )
      ) : runs.length === 0 ? (
        <NoRuns />
      ) : (
        <Listed runs={runs} />
      )}
    </>
  )
}

function Listed({ runs }: { runs: RunSummary[] }) {
  const last = useLastRun()
  const [chosen, setChosen] = useState<string | null>(last)
  const move = (by: 1 | -1) => () => {
    const at = runs.findIndex((run) => run.run === chosen)
    const next = runs[Math.min(runs.length - 1, Math.max(0, at + by))]
    if (!next) return
    setChosen(next.run)
    document.getElementById(`run-${next.run}`)?.scrollIntoView({ block: 'nearest' })
  }
  const open = (view: 'live' | 'audit' | 'teardown') => () => {
    if (chosen !== null) go({ view, run: chosen })
  }
  useKeys('Runs', [
    { keys: 'j', label: 'next run', footer: true, run: move(1) },
    { keys: 'k', label: 'previous', footer: true, run: move(-1) },
    { keys: 'o', label: 'watch it', footer: true, run: open('live') },
    { keys: 'a', label: 'its audit', run: open('audit') },
    { keys: 'x', label: 'tear it down', run: open('teardown') },
    { keys: 'n', label: 'new run', run: () => go({ view: 'launch' }) },
  ])
  return <RunsTable runs={runs} chosen={chosen} onChoose={setChosen} />
}

function NoRuns() {
  const busy = useLaunch((state) => state.busy)
  return (
    <div className="no-runs">
      <Empty title="No runs yet">
        <p className="dim">
          A run trains a policy against an executed suite. Every rollout’s grade is watched live, and what the
          suite wrongly accepts is shown beside what is right.
        </p>
      </Empty>
      <DemoCard />
      {busy === 'starting' && <PreflightList />}
      <p className="dim">
        or <a href={href({ view: 'launch' })}>describe a run of your own</a>
      </p>
    </div>
  )
}

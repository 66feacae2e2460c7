import { useState } from 'react'
import { useKeys } from '../../app/keys.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { Empty, Failure, Loading } from '../../components/ui/states.tsx'
import { useRunSummary } from '../../stores/runs.ts'
import { ConfirmTeardown } from './confirm-teardown.tsx'
import { Headline } from './headline.tsx'
import { KeptNote } from './kept-note.tsx'
import { TeardownTable } from './teardown-table.tsx'
import { useTeardown } from './use-teardown.ts'

export function TeardownOfRun({ run }: { run: string }) {
  const summary = useRunSummary(run)
  const teardown = useTeardown(run)
  const [asking, setAsking] = useState(false)
  const { rows, chosen, report, running } = teardown
  const ready = rows !== null && report === null && !running && chosen.size > 0
  useKeys('Teardown', [
    { keys: 'x', label: 'give back', footer: true, run: () => ready && setAsking(true) },
    { keys: 'r', label: 'look again', footer: true, run: () => !running && teardown.again() },
  ])
  const alive = summary !== null && (summary.phase === 'running' || summary.phase === 'blocked')
  return (
    <>
      <HeaderSlot>
        <h1>Teardown</h1>
        <span className="dim">{summary?.name ?? run}</span>
        <span className="mono dim">{run}</span>
      </HeaderSlot>
      <div className="teardown">
        <Headline teardown={teardown} alive={alive} onAsk={() => setAsking(true)} ready={ready} run={run} />
        {teardown.error !== null && rows === null ? (
          teardown.error.code === 'not_found' ? (
            <Empty title="This run holds nothing">
              <p className="dim">{teardown.error.message}</p>
            </Empty>
          ) : (
            <Failure error={teardown.error} onRetry={teardown.again} />
          )
        ) : rows === null ? (
          <Loading what="the plan" />
        ) : rows.length > 0 || report !== null ? (
          <TeardownTable rows={rows} onToggle={report === null && !running ? teardown.toggle : null} />
        ) : null}
        {rows !== null && report === null && teardown.earlier.length > 0 ? (
          <section className="teardown-earlier" aria-label="Given back before">
            <h2>Given back before</h2>
            <TeardownTable rows={teardown.earlier} onToggle={null} />
          </section>
        ) : null}
        {rows === null ? null : <KeptNote run={run} />}
      </div>
      <ConfirmTeardown
        open={asking}
        run={run}
        alive={alive}
        rows={(teardown.plan ?? []).filter((row) => chosen.has(row.lease))}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          void teardown.execute([...chosen])
        }}
      />
    </>
  )
}

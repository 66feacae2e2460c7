import type { AuditView, QueueName, TriageList, TriageRow } from '#shared/ipc/contract.ts'
import { plural } from '../../app/format.ts'
import { go, href } from '../../app/router.ts'
import { FilterLine } from '../../components/filter-line/filter-line.tsx'
import { Kbd } from '../../components/ui/kbd.tsx'
import { queueLabels } from './queue-labels.ts'
import { ofShare } from './share.ts'
import './triage.css'
import { TriageRows } from './triage-rows.tsx'

type Props = {
  audit: AuditView
  list: TriageList
  rows: readonly TriageRow[]
  filter: string
  failure: string | null
  selected: string | null
  onSelect: (key: string) => void
  onQueues: () => void
}

/** The list at hand: which it is, the filter that narrows it and drives next, bulk and export, and its programs. */
export function TriagePane({ audit, list, rows, filter, failure, selected, onSelect, onQueues }: Props) {
  const { queue, groups } = list
  const draws = rows.reduce((sum, row) => sum + row.draws, 0)
  const sample = ofShare(audit.share)
  return (
    <section className="panel triage-pane" aria-label={queueLabels[queue]}>
      <div className="triage-head">
        <button type="button" className="triage-queue" onClick={onQueues}>
          {queueLabels[queue]} <Kbd caps={['q']} />
        </button>
        <a className="dim" href={href({ view: 'rollouts', run: audit.run, filter: list.filter })}>
          {plural(draws, 'draw')}
        </a>
      </div>
      <p className="triage-size dim">
        {plural(rows.length, 'program')} in {plural(groups.length, 'group')}
        {sample === '' ? '' : `, ${sample}`}
      </p>
      <FilterLine
        value={filter}
        failure={failure}
        onApply={(line) => go(listRoute(audit.run, queue, line))}
      />
      <TriageRows groups={groups} rows={rows} selected={selected} onSelect={onSelect} />
    </section>
  )
}

/** The address of a list; false acceptances are what the view opens on. */
export const listRoute = (run: string, queue: QueueName, filter: string) =>
  ({
    view: 'audit',
    run,
    ...(queue === 'false_acceptances' ? {} : { queue }),
    ...(filter === '' ? {} : { filter }),
  }) as const

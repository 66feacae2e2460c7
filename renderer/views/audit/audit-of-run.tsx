import { useMemo, useState } from 'react'
import type { AuditView, QueueName } from '#shared/ipc/contract.ts'
import { wilsonInterval } from '#shared/stats/intervals.ts'
import { formatCount, formatNumber, plural } from '../../app/format.ts'
import { FooterSlot } from '../../app/slots.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Empty } from '../../components/ui/states.tsx'
import { askAudit } from './ask-audit.ts'
import { AuditHeader } from './audit-header.tsx'
import { ConfusionPanel } from './confusion-panel.tsx'
import { queueLabels } from './queue-labels.ts'
import { rowBy } from './rates.ts'
import { ReviewPanel } from './review-panel.tsx'
import { ScoreScatter } from './score-scatter.tsx'
import { ofShare } from './share.ts'
import { Triage } from './triage.tsx'
import { TriagePane } from './triage-pane.tsx'
import { useTriage } from './use-triage.ts'
import { type Opened, Workbench } from './workbench.tsx'

type Props = { audit: AuditView; queue: QueueName; filter: string }

/** What keeps the audit from its work: until it is gone, every figure below is of what was audited before. */
function Trouble({ audit: { trouble } }: { audit: AuditView }) {
  if (trouble === null) return null
  const { error, attempts, since } = trouble
  return (
    <p className="audit-trouble" role="alert">
      <b>{error.message}</b> {error.hint}{' '}
      <span className="dim">
        Tried {plural(attempts, 'time')} since {new Date(since).toLocaleTimeString()}, and again every few
        seconds; nothing counts as judged meanwhile.
      </span>
    </p>
  )
}

export function AuditOfRun({ audit, queue, filter }: Props) {
  const { run } = audit
  const triage = useTriage(run, queue, filter)
  const [opened, setOpened] = useState<Opened | null>(null)
  const { rows, selected, select, list } = triage
  const row = useMemo(() => rows.find((one) => one.key === selected), [rows, selected])
  if (audit.audit === null && queue === 'false_acceptances') return <NoSuite audit={audit} />
  if (audit.state === 'none' && queue === 'false_acceptances') return <NotYet audit={audit} />
  const pane = list && (
    <TriagePane
      audit={audit}
      list={list}
      rows={rows}
      filter={filter}
      failure={triage.error?.message ?? null}
      selected={selected}
      onSelect={select}
      onQueues={() => setOpened('queues')}
    />
  )
  return (
    <>
      <AuditHeader audit={audit} />
      <Trouble audit={audit} />
      <FooterSlot>every figure opens its rows</FooterSlot>
      <div className="audit-summary">
        <ConfusionPanel audit={audit} onTable={() => setOpened('suites')} />
        <ScoreScatter audit={audit} selected={row?.bodySha256 ?? null} onSelect={triage.selectBody} />
        <ReviewPanel rows={rows} />
      </div>
      <Workbench
        audit={audit}
        mechanism={audit.mechanisms.find(({ id }) => id === row?.group) ?? null}
        rows={rows}
        opened={opened}
        onOpen={setOpened}
      />
      {row !== undefined && list !== null ? (
        <Triage audit={audit} list={list} rows={rows} row={row} pane={pane} onSelect={select} />
      ) : (
        <div className="triage">
          {pane}
          {list === null ? null : <NothingListed audit={audit} queue={queue} filter={filter} />}
        </div>
      )}
    </>
  )
}

function NoSuite({ audit }: { audit: AuditView }) {
  return (
    <>
      <AuditHeader audit={audit} />
      <Empty title="This run has no audit suite">
        <p className="dim">
          It was launched without one, so whether {audit.suite} accepted wrong bodies is not known. The next
          run can be launched with an audit suite that training never sees.
        </p>
      </Empty>
    </>
  )
}

function NotYet({ audit }: { audit: AuditView }) {
  return (
    <>
      <AuditHeader audit={audit} />
      <Empty title="Not audited yet">
        <p className="dim">
          {audit.bodies === 0
            ? 'No rollout has a body yet.'
            : `${formatCount(audit.bodies)} draws with a body wait to be graded by ${audit.audit}, each distinct body once.`}
        </p>
        <Button
          look="primary"
          onClick={() => void askAudit(audit.run, audit.share, true)}
          disabled={audit.bodies === 0}
        >
          Audit {formatCount(audit.bodies)} draws
        </Button>
      </Empty>
    </>
  )
}

type ListedProps = { audit: AuditView; queue: QueueName; filter: string }

function NothingListed({ audit, queue, filter }: ListedProps) {
  if (filter !== '')
    return (
      <Empty title="Nothing here passes the filter">
        <p className="dim">Clear it to see the whole list.</p>
      </Empty>
    )
  if (queue === 'false_acceptances') return <NothingFound audit={audit} />
  return (
    <Empty title={`${queueLabels[queue]}: none`}>
      <p className="dim">Press q for the other lists.</p>
    </Empty>
  )
}

/** None found is a finding with a limit, and the limit is said. */
function NothingFound({ audit }: { audit: AuditView }) {
  const draws = rowBy(audit.confusion[0], 'draws')
  const accepted = (draws?.acceptedRight ?? 0) + (draws?.acceptedWrong ?? 0)
  const high = wilsonInterval(0, accepted)?.high ?? null
  const sample = ofShare(audit.share)
  return (
    <Empty title={audit.state === 'running' ? 'No false acceptance so far' : 'No false acceptance'}>
      <p className="dim">
        {accepted === 0
          ? 'No accepted body has been audited.'
          : `The audit agrees with all ${formatCount(accepted)} accepted draws${sample === '' ? '' : ` ${sample}`}. At 95 % that leaves room for at most ${formatNumber(100 * (high ?? 1))} % wrong among draws like these.`}
      </p>
    </Empty>
  )
}

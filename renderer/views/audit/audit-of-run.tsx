import { useMemo, useState } from 'react'
import { toast } from 'sonner'
import { toAppError } from '#shared/base/errors.ts'
import type { AuditView } from '#shared/ipc/contract.ts'
import { wilsonInterval } from '#shared/stats/intervals.ts'
import { ask } from '../../app/core.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { FooterSlot } from '../../app/slots.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Empty } from '../../components/ui/states.tsx'
import { AuditHeader } from './audit-header.tsx'
import { ConfusionPanel } from './confusion-panel.tsx'
import { type Given, nextOpen, type ReviewBody, reviewBodies } from './review.ts'
import { ReviewPanel } from './review-panel.tsx'
import { ScoreScatter } from './score-scatter.tsx'
import { Triage } from './triage.tsx'
import { useVerdicts } from './verdict-store.ts'
import { Workbench } from './workbench.tsx'

const none: Given = {}

export function AuditOfRun({ audit }: { audit: AuditView }) {
  const { run } = audit
  const given = useVerdicts((state) => state.given[run] ?? none)
  const bodies = useMemo(() => reviewBodies(audit, given), [audit, given])
  const [chosen, setChosen] = useState<string | null>(null)
  const selected =
    chosen !== null && bodies.some((body) => body.bodySha256 === chosen)
      ? chosen
      : (nextOpen(bodies, null) ?? bodies[0]?.bodySha256 ?? null)
  // What is shown first stays selected when its verdict is given, or the first key would already move on.
  if (chosen === null && selected !== null) setChosen(selected)
  const start = () => void startAudit(run)
  if (audit.audit === null) return <NoSuite audit={audit} />
  if (audit.state === 'none') return <NotYet audit={audit} onStart={start} />
  return (
    <>
      <AuditHeader audit={audit} bodies={bodies} onStart={start} />
      <FooterSlot>every figure opens its rows</FooterSlot>
      <div className="audit-summary">
        <ConfusionPanel audit={audit} />
        <ScoreScatter audit={audit} selected={selected} onSelect={setChosen} />
        <ReviewPanel bodies={bodies} />
      </div>
      <Workbench audit={audit} mechanism={mechanismOf(audit, bodies, selected)} />
      {selected === null ? (
        <NothingFound audit={audit} />
      ) : (
        <Triage audit={audit} bodies={bodies} given={given} selected={selected} onSelect={setChosen} />
      )}
    </>
  )
}

const mechanismOf = (audit: AuditView, bodies: ReviewBody[], selected: string | null) => {
  const id = bodies.find((body) => body.bodySha256 === selected)?.mechanism
  return audit.mechanisms.find((mechanism) => mechanism.id === id) ?? null
}

async function startAudit(run: string): Promise<void> {
  try {
    const { started } = await ask('audit.start', { run })
    if (!started) toast('The audit already has everything there is.')
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  }
}

function NoSuite({ audit }: { audit: AuditView }) {
  return (
    <>
      <AuditHeader audit={audit} bodies={[]} />
      <Empty title="This run has no audit suite">
        <p className="dim">
          It was launched without one, so whether {audit.suite} accepted wrong bodies is not known. The next
          run can be launched with an audit suite that training never sees.
        </p>
      </Empty>
    </>
  )
}

function NotYet({ audit, onStart }: { audit: AuditView; onStart: () => void }) {
  return (
    <>
      <AuditHeader audit={audit} bodies={[]} />
      <Empty title="Not audited yet">
        <p className="dim">
          {audit.bodies === 0
            ? 'No rollout has a body yet.'
            : `${formatCount(audit.bodies)} draws with a body wait to be graded by ${audit.audit}, each distinct body once.`}
        </p>
        <Button look="primary" onClick={onStart} disabled={audit.bodies === 0}>
          Audit {formatCount(audit.bodies)} draws
        </Button>
      </Empty>
    </>
  )
}

/** None found is a finding with a limit, and the limit is said. */
function NothingFound({ audit }: { audit: AuditView }) {
  const draws = audit.confusion.find((row) => row.by === 'draws')
  const accepted = (draws?.acceptedRight ?? 0) + (draws?.acceptedWrong ?? 0)
  const high = wilsonInterval(0, accepted)?.high ?? null
  return (
    <Empty title={audit.state === 'running' ? 'No false acceptance so far' : 'No false acceptance'}>
      <p className="dim">
        {accepted === 0
          ? 'No accepted body has been audited.'
          : `The audit agrees with all ${formatCount(accepted)} accepted draws. At 95 % that leaves room for at most ${formatNumber(100 * (high ?? 1))} % wrong among draws like these.`}
      </p>
    </Empty>
  )
}

import type { RunSummary } from '#shared/ipc/contract.ts'
import { formatCount, formatDuration, formatNumber, formatShare, unknown } from '../../app/format.ts'
import { go, href } from '../../app/router.ts'
import { ShareBar } from '../../components/charts/share-bar.tsx'
import { SparkLine } from '../../components/charts/spark-line.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { summaryPhase } from './summary-phase.ts'

type Props = { runs: RunSummary[]; chosen: string | null; onChoose: (run: string) => void }

const columns: { label: string; title?: string; className?: string }[] = [
  { label: 'Run' },
  { label: 'State' },
  { label: 'Step', className: 'num' },
  { label: 'Reward', title: 'Mean reward of each step, 0 to 1, over the planned steps' },
  { label: 'Outcomes', title: 'Shares of the statuses of all training rollouts' },
  { label: 'Rollouts', className: 'num' },
  { label: 'Null', className: 'num', title: 'Rollouts without a reward: no grade could be had' },
  { label: 'False acc.', className: 'num', title: 'Accepted by the run’s verifier, rejected by the audit' },
  { label: 'Held-out', title: 'Fixed draws that pass the audit, before and after training' },
  { label: 'Held', className: 'num', title: 'Leases still held' },
  { label: 'Last heard', className: 'num' },
]

export function RunsTable({ runs, chosen, onChoose }: Props) {
  return (
    <div className="runs-scroll">
      <table className="runs-table">
        <thead>
          <tr>
            {columns.map(({ label, title, className }) => (
              <th key={label} scope="col" title={title} className={className}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.run} run={run} chosen={run.run === chosen} onChoose={onChoose} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({
  run,
  chosen,
  onChoose,
}: {
  run: RunSummary
  chosen: boolean
  onChoose: (run: string) => void
}) {
  const live = href({ view: 'live', run: run.run })
  const phase = summaryPhase(run)
  return (
    <tr
      id={`run-${run.run}`}
      className={chosen ? 'chosen' : undefined}
      onMouseEnter={() => onChoose(run.run)}
      onClick={(event) => {
        if (!(event.target instanceof Element && event.target.closest('a')))
          go({ view: 'live', run: run.run })
      }}
    >
      <td>
        <a className="run-name" href={live}>
          {run.name}
        </a>
        <span className="run-under">
          {run.suite} <span className="run-id mono">{run.run}</span>
        </span>
      </td>
      <td>
        <Pill tone={phase.tone}>{phase.label}</Pill>
      </td>
      <td className="num">
        {run.step ?? unknown}
        <span className="dim"> / {run.planned ?? unknown}</span>
      </td>
      <td>
        <SparkLine values={run.rewardMeans} planned={run.planned ?? 0} label={rewardWords(run.rewardMeans)} />
      </td>
      <td className="run-shares">
        <ShareBar counts={run.byStatus} />
      </td>
      <td className="num">
        <a href={href({ view: 'rollouts', run: run.run, filter: '' })}>{formatCount(run.rollouts)}</a>
      </td>
      <td className="num">
        <Nulls run={run} />
      </td>
      <td className="num">
        <FalseAcceptances run={run} />
      </td>
      <td>
        <HeldOut run={run} />
      </td>
      <td className="num">
        {run.leases > 0 ? (
          <a href={href({ view: 'teardown', run: run.run })}>{run.leases}</a>
        ) : (
          <span className="dim" title={run.tornDown ? 'torn down, nothing left' : undefined}>
            0
          </span>
        )}
      </td>
      <td className="num">
        <Age at={run.lastAt} />
      </td>
    </tr>
  )
}

function rewardWords(means: RunSummary['rewardMeans']): string {
  const known = means.filter((mean) => mean !== null)
  if (known.length === 0) return 'no reward yet'
  return `mean reward from ${known[0]?.toFixed(2)} to ${known.at(-1)?.toFixed(2)} over ${means.length} steps`
}

function Nulls({ run }: { run: RunSummary }) {
  if (run.nullRewards === 0) return <span className="dim">0</span>
  return (
    <a className="run-alarm" href={href({ view: 'rollouts', run: run.run, filter: 'reward:null' })}>
      {formatCount(run.nullRewards)}
    </a>
  )
}

function FalseAcceptances({ run }: { run: RunSummary }) {
  if (run.falseAcceptances === null)
    return (
      <span className="dim" title={run.auditSuite === null ? 'no audit suite' : 'nothing audited yet'}>
        {unknown}
      </span>
    )
  const sample = run.auditShare < 1 ? ` in ${formatNumber(100 * run.auditShare)} %` : ''
  const title = `of ${formatCount(run.audited)} bodies audited${sample === '' ? '' : `,${sample} of the accepted programs`}`
  if (run.falseAcceptances === 0) return <span title={title}>0{sample}</span>
  return (
    <a className="run-false" href={href({ view: 'audit', run: run.run })} title={title}>
      {formatCount(run.falseAcceptances)}
      {sample}
    </a>
  )
}

function HeldOut({ run: { passRateBefore: before, passRateAfter: after } }: { run: RunSummary }) {
  if (!before && !after) return <span className="dim">{unknown}</span>
  const rate = (value: RunSummary['passRateBefore']) =>
    value ? (
      <>
        <b>{formatShare(value.passed, value.graded)}</b>{' '}
        <span className="dim">
          {value.passed}/{value.graded}
        </span>
      </>
    ) : (
      <span className="dim">{unknown}</span>
    )
  return (
    <span className="run-held-out">
      <span>{rate(before)}</span>
      <span className="dim">→</span>
      <span>{rate(after)}</span>
    </span>
  )
}

function Age({ at }: { at: string | null }) {
  const now = useNow(5000)
  if (at === null) return <span className="dim">never</span>
  const ms = Math.max(0, now - Date.parse(at))
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')} className="dim">
      {ms < 2000 ? 'now' : formatDuration(ms)}
    </time>
  )
}

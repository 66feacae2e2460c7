import type { StudyView } from '#shared/ipc/contract.ts'
import { falseAcceptRate, precision, type Rate } from '#shared/stats/acceptance.ts'
import { formatCount, formatNumber, plural } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'

type Props = { figures: StudyView['figures']; cases: Record<string, number> }

/** Each suite against the audit over the very same draws. */
export function ConfusionPanel({ figures, cases }: Props) {
  const suites = Object.entries(figures.confusion)
  return (
    <Panel
      title="Suites against the audit"
      note="the same draws; 95 % intervals"
      aside={`${formatCount(figures.draws)} draws each`}
      className="study-wide"
    >
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">suite</th>
            <th scope="col">accept · right</th>
            <th scope="col">accept · wrong</th>
            <th scope="col">programs</th>
            <th scope="col">refuse · right</th>
            <th scope="col">refuse · wrong</th>
            <th scope="col">precision</th>
            <th scope="col">false-accept rate</th>
          </tr>
        </thead>
        <tbody>
          {suites.map(([suite, row]) => (
            <tr key={suite}>
              <th scope="row">
                {suite} <span className="dim">{plural(cases[suite] ?? 0, 'case')}</span>
              </th>
              <td className="good">{formatCount(row.acceptedPass)}</td>
              <td className={row.acceptedFail > 0 ? 'bad' : 'dim'}>{formatCount(row.acceptedFail)}</td>
              <td className="dim">{formatCount(row.falseAcceptSources)}</td>
              <td className={row.rejectedPass > 0 ? 'warn' : 'dim'}>{formatCount(row.rejectedPass)}</td>
              <td>{formatCount(row.rejectedFail)}</td>
              <RateCell rate={precision({ ...row, unknown: 0 })} />
              <RateCell rate={falseAcceptRate({ ...row, unknown: 0 })} />
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function RateCell({ rate: { share, of, count, interval } }: { rate: Rate }) {
  if (share === null || interval === null) return <td className="dim">–</td>
  const percent = (value: number) => formatNumber(100 * value)
  return (
    <td title={`${formatCount(count)} of ${formatCount(of)}`}>
      {percent(share)} %{' '}
      <span className="dim">
        {percent(interval.low)} to {percent(interval.high)}, of {formatCount(of)}
      </span>
    </td>
  )
}

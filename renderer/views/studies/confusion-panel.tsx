import type { StudyView } from '#shared/ipc/contract.ts'
import { falseAcceptRate, precision, type Rate } from '#shared/stats/acceptance.ts'
import { formatCount, formatNumber, plural } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { DrawsDoor } from './draws-door.tsx'

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
              <Cell suite={suite} accepted right count={row.acceptedPass} tone="good" />
              <Cell
                suite={suite}
                accepted
                right={false}
                count={row.acceptedFail}
                tone={row.acceptedFail > 0 ? 'bad' : 'dim'}
              />
              <td className="dim">{formatCount(row.falseAcceptSources)}</td>
              <Cell
                suite={suite}
                accepted={false}
                right
                count={row.rejectedPass}
                tone={row.rejectedPass > 0 ? 'warn' : 'dim'}
              />
              <Cell suite={suite} accepted={false} right={false} count={row.rejectedFail} tone={undefined} />
              <RateCell rate={precision({ ...row, unknown: 0 })} />
              <RateCell rate={falseAcceptRate({ ...row, unknown: 0 })} />
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

type CellProps = { suite: string; accepted: boolean; right: boolean; count: number; tone: string | undefined }

function Cell({ suite, accepted, right, count, tone }: CellProps) {
  const title = `${suite}: ${accepted ? 'accepted' : 'refused'} and ${right ? 'right' : 'wrong'}`
  return (
    <td className={tone}>
      <DrawsDoor title={title} of={{ verifier: suite, accepted, right }} count={count} />
    </td>
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

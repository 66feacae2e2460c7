import type { StudyView } from '#shared/ipc/contract.ts'
import type { ArmFigures } from '#shared/stats/study.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'

/** Each arm after each update, by how much of the audit its draws pass. */
export function ArmsPanel({ figures, auditCases }: { figures: StudyView['figures']; auditCases: number }) {
  const rows = Object.entries(figures.arms).flatMap(([arm, updates]) =>
    Object.entries(updates).map(([update, row]) => ({ arm, update, row })),
  )
  return (
    <Panel
      title="Arms"
      note={`buckets by audit cases passed, of ${formatCount(auditCases)}`}
      className="study-wide"
    >
      <table className="figures">
        <thead>
          <tr>
            <th scope="col">arm</th>
            <th scope="col">update</th>
            <th scope="col">draws</th>
            <th scope="col">at most one</th>
            <th scope="col">partial</th>
            <th scope="col">all</th>
            <td />
            <th scope="col">mean of cases</th>
            <th scope="col">inclusive</th>
            <th scope="col">token cap</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ arm, update, row }) => (
            <tr key={`${arm} ${update}`}>
              <th scope="row">{arm}</th>
              <td className="dim">{update}</td>
              <td>{formatCount(row.draws)}</td>
              <td>{formatCount(row.atMostOne)}</td>
              <td>{formatCount(row.partial)}</td>
              <td className="good">{formatCount(row.full)}</td>
              <Buckets row={row} />
              <td>{row.meanCaseAccuracy === null ? '–' : `${formatNumber(100 * row.meanCaseAccuracy)} %`}</td>
              <td className="dim">{formatCount(row.inclusiveSignature)}</td>
              <td className="dim">{formatCount(row.tokenCap)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function Buckets({ row }: { row: ArmFigures }) {
  return (
    <td className="figure-bar buckets" aria-hidden="true">
      <span>
        <i className="bucket-full" style={{ flexGrow: row.full }} />
        <i className="bucket-partial" style={{ flexGrow: row.partial }} />
        <i className="bucket-none" style={{ flexGrow: row.atMostOne }} />
      </span>
    </td>
  )
}

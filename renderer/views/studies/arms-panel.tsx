import type { StudyView } from '#shared/ipc/contract.ts'
import type { ArmFigures } from '#shared/stats/study.ts'
import type { DrawsOf } from '#shared/stats/study-draws.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { DrawsDoor } from './draws-door.tsx'

/** Each arm after each update, by how much of the audit its draws pass. */
export function ArmsPanel({ figures, auditCases }: { figures: StudyView['figures']; auditCases: number }) {
  const rows = Object.entries(figures.arms).flatMap(([arm, updates]) =>
    Object.entries(updates).map(([update, row]) => ({ arm, update: Number(update), row })),
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
              <Figure name="draws" count={row.draws} of={{ arm, update }} />
              <Figure
                name="at most one case"
                count={row.atMostOne}
                of={{ arm, update, bucket: 'at_most_one' }}
              />
              <Figure name="partial" count={row.partial} of={{ arm, update, bucket: 'partial' }} />
              <Figure name="all cases" count={row.full} of={{ arm, update, bucket: 'full' }} tone="good" />
              <Buckets row={row} />
              <td>{row.meanCaseAccuracy === null ? '–' : `${formatNumber(100 * row.meanCaseAccuracy)} %`}</td>
              <Figure
                name="inclusive"
                count={row.inclusiveSignature}
                of={{ arm, update, inclusive: true }}
                tone="dim"
              />
              <Figure name="token cap" count={row.tokenCap} of={{ arm, update, tokenCap: true }} tone="dim" />
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

type FigureProps = {
  name: string
  count: number
  of: DrawsOf & { arm: string; update: number }
  tone?: string
}

function Figure({ name, count, of, tone }: FigureProps) {
  return (
    <td className={tone}>
      <DrawsDoor title={`${of.arm}, update ${of.update}: ${name}`} of={of} count={count} />
    </td>
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

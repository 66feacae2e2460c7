import type { AuditView } from '#shared/ipc/contract.ts'
import { wilsonInterval } from '#shared/stats/intervals.ts'
import { formatCount, formatNumber } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { door, doors } from './doors.ts'

type Confusion = AuditView['confusion'][number]
type Cell = Exclude<keyof Confusion, 'by'>

const cells: { cell: Cell; verb: string; body: string; title: string; tone?: string }[] = [
  {
    cell: 'acceptedRight',
    verb: 'accept',
    body: 'right',
    title: 'accepted, and the audit agrees',
    tone: 'ok',
  },
  { cell: 'acceptedWrong', verb: 'accept', body: 'wrong', title: 'false acceptances', tone: 'hot' },
  { cell: 'rejectedRight', verb: 'refuse', body: 'right', title: 'false rejections', tone: 'warm' },
  { cell: 'rejectedWrong', verb: 'refuse', body: 'wrong', title: 'rejected, and the audit agrees' },
  {
    cell: 'unknown',
    verb: 'not',
    body: 'known',
    title: 'not audited, or one of the two cannot say; in no other cell',
  },
]

/** The run's verifier against the audit on the same bodies; every count opens its rows. */
export function ConfusionPanel({ audit }: { audit: AuditView }) {
  return (
    <Panel title={`${audit.suite} against ${audit.audit}`} note="the same bodies" className="audit-confusion">
      <table>
        <thead>
          <tr>
            <td />
            {cells.map(({ cell, verb, body, title }) => (
              <th key={cell} scope="col" title={title}>
                {verb} · {body}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {audit.confusion.map((row) => (
            <tr key={row.by}>
              <th scope="row">{row.by}</th>
              {cells.map(({ cell, title, tone }) => (
                <td key={cell}>
                  <a
                    className={`figure cell ${row[cell] > 0 ? (tone ?? '') : 'nil'}`}
                    href={door(audit.run, doors[cell])}
                    title={`${title}: open the rows`}
                  >
                    {formatCount(row[cell])}
                  </a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p className="audit-share dim">
        {audit.confusion.map((row) => (
          <span key={row.by}>{shareOf(row)}</span>
        ))}
      </p>
    </Panel>
  )
}

/** The share of accepted bodies that are wrong, with its denominator and its 95 % interval (Wilson). */
function shareOf(row: Confusion): string {
  const accepted = row.acceptedRight + row.acceptedWrong
  const interval = wilsonInterval(row.acceptedWrong, accepted)
  if (interval === null) return `no accepted ${row.by} audited`
  const percent = (share: number) => formatNumber(100 * share)
  return `wrong ${formatCount(row.acceptedWrong)} of ${formatCount(accepted)} accepted ${row.by}: ${percent(
    row.acceptedWrong / accepted,
  )} % (95 %: ${percent(interval.low)} to ${percent(interval.high)})`
}

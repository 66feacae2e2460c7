import type { AuditView, ConfusionRow } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Kbd } from '../../components/ui/kbd.tsx'
import { Panel } from '../../components/ui/panel.tsx'
import { door, doors } from './doors.ts'
import { inWords } from './rates.ts'
import { ofShare } from './share.ts'

type Cell = 'acceptedRight' | 'acceptedWrong' | 'rejectedRight' | 'rejectedWrong' | 'unknown'

const cells: { cell: Cell; label: string; title: string; tone?: string }[] = [
  {
    cell: 'acceptedRight',
    label: 'accept right',
    title: 'accepted, and the audit agrees',
    tone: 'ok',
  },
  { cell: 'acceptedWrong', label: 'accept wrong', title: 'false acceptances', tone: 'hot' },
  { cell: 'rejectedRight', label: 'refuse right', title: 'false rejections', tone: 'warm' },
  { cell: 'rejectedWrong', label: 'refuse wrong', title: 'rejected, and the audit agrees' },
  {
    cell: 'unknown',
    label: 'unknown',
    title: 'not audited, or one of the two cannot say; in no other cell',
  },
]

/** The run's verifier against the audit on the same bodies; every count opens its rows. Other suites stand in the table behind `t`. */
export function ConfusionPanel({ audit, onTable }: { audit: AuditView; onTable: () => void }) {
  const [own, ...others] = audit.confusion
  return (
    <Panel
      title={`${audit.suite} against ${audit.audit}`}
      note={audit.share < 1 ? ofShare(audit.share) : 'the same bodies'}
      className="audit-confusion"
    >
      <table>
        <thead>
          <tr>
            <td />
            {cells.map(({ cell, label, title }) => (
              <th key={cell} scope="col" title={title}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {own?.rows.map((row) => (
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
        {own?.rows.map((row) => (
          <span key={row.by}>{precisionOf(row)}</span>
        ))}
        <button type="button" className="door" onClick={onTable}>
          {others.length === 0 ? 'beside other suites' : `beside ${plural(others.length, 'other suite')}`}{' '}
          <Kbd caps={['t']} />
        </button>
      </p>
    </Panel>
  )
}

/** The share of accepted bodies that are right, with its denominator and its 95 % interval. */
function precisionOf({ by, precision, acceptedWrong }: ConfusionRow): string {
  if (precision.of === 0) return `no accepted ${by} audited`
  return `right ${inWords(precision)}; wrong ${formatCount(acceptedWrong)} of ${formatCount(precision.of)} accepted ${by}`
}

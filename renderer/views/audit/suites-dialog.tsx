import { useState } from 'react'
import { toast } from 'sonner'
import type { AuditView, SuiteTable } from '#shared/ipc/contract.ts'
import type { BoundedRate } from '#shared/stats/acceptance.ts'
import { ask } from '../../app/core.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { useRequest } from '../../stores/use-request.ts'
import './suites.css'
import { inWords } from './rates.ts'
import { useWork, work } from './repair-store.ts'
import { ofShare } from './share.ts'

type Props = { audit: AuditView; open: boolean; onClose: () => void }

/** Every suite that graded this run's bodies, against the audit; one more can be asked. */
export function SuitesDialog({ audit, open, onClose }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Suites against ${audit.audit}, on the same bodies`}
      width={980}
    >
      <Suites audit={audit} />
    </Dialog>
  )
}

function Suites({ audit }: { audit: AuditView }) {
  const { run, confusion, share } = audit
  const sample = ofShare(share)
  return (
    <div className="suites">
      <table>
        <thead>
          <tr>
            <th scope="col">suite</th>
            <th scope="col" />
            <th scope="col">accept · right</th>
            <th scope="col">accept · wrong</th>
            <th scope="col">refuse · right</th>
            <th scope="col">refuse · wrong</th>
            <th scope="col">not known</th>
            <th scope="col">precision</th>
            <th scope="col">false-accept rate</th>
          </tr>
        </thead>
        {confusion.map((table) => (
          <Table key={table.suite.sha256} table={table} />
        ))}
      </table>
      <p className="dim">
        Precision: the right ones of the accepted. False-accept rate: the accepted of the wrong. In brackets
        the 95 % interval (Wilson); where something is not known, a range takes the place of the share, from
        one way that it could fall out to the other.
        {sample === ''
          ? ''
          : ` All of it ${sample}; draws of one program count there as the few that they are worth.`}
      </p>
      <Another run={run} known={confusion.map((table) => table.suite.sha256)} />
    </div>
  )
}

const origins: Record<SuiteTable['origin'], string> = {
  training: 'trained on',
  repaired: 'repaired',
  other: 'asked since',
}

function Table({ table: { suite, origin, rows } }: { table: SuiteTable }) {
  return (
    <tbody>
      {rows.map((row, index) => (
        <tr key={row.by}>
          {index === 0 ? (
            <th scope="rowgroup" rowSpan={rows.length} title={suite.sha256}>
              {suite.name} <small className="dim">{origins[origin]}</small>
            </th>
          ) : null}
          <th scope="row">{row.by}</th>
          <td>{formatCount(row.acceptedRight)}</td>
          <td className={row.acceptedWrong > 0 ? 'rejected' : undefined}>{formatCount(row.acceptedWrong)}</td>
          <td className={row.rejectedRight > 0 ? 'rejected' : undefined}>{formatCount(row.rejectedRight)}</td>
          <td>{formatCount(row.rejectedWrong)}</td>
          <td className="dim">{formatCount(row.unknown)}</td>
          <Rate rate={row.precision} of={`accepted ${row.by}`} />
          <Rate rate={row.falseAcceptRate} of={`wrong ${row.by}`} />
        </tr>
      ))}
    </tbody>
  )
}

function Rate({ rate, of }: { rate: BoundedRate; of: string }) {
  return (
    <td className="rate">
      {inWords(rate)}
      <small className="dim">
        {formatCount(rate.count)} of {formatCount(rate.of)} {of}
      </small>
    </td>
  )
}

/** A choice of the suites that can be launched and are not in the table. */
function Another({ run, known }: { run: string; known: string[] }) {
  const { value } = useRequest('launch.options', {})
  const [chosen, setChosen] = useState('')
  const busy = useWork((state) => state.busy[run])
  const suites = value?.suites.filter((suite) => !known.includes(suite.sha256)) ?? []
  const suite = suites.find(({ path }) => path === chosen) ?? suites[0]
  if (suite === undefined) return <p className="dim">No other suite is known here.</p>
  return (
    <form
      className="dialog-actions"
      onSubmit={(event) => {
        event.preventDefault()
        void work(run, 'regrading', () => ask('audit.regrade', { run, suite: suite.path }).then(said))
      }}
    >
      <span className="dim" role="status">
        {busy === undefined ? '' : `${busy} …`}
      </span>
      <label>
        one more suite{' '}
        <select className="select" value={suite.path} onChange={(event) => setChosen(event.target.value)}>
          {suites.map(({ path, name, cases }) => (
            <option key={path} value={path}>
              {name} · {plural(cases, 'case')}
            </option>
          ))}
        </select>
      </label>
      <Button type="submit" look="primary" disabled={busy !== undefined} data-autofocus>
        Grade the saved bodies
      </Button>
    </form>
  )
}

const said = ({ graded, suite }: { graded: number; suite: { name: string } }) =>
  toast(`${suite.name} graded ${plural(graded, 'program')}.`)

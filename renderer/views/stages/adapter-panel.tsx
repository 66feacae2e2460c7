import { useState } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { AdapterList, AdapterPlan, AdapterRow } from '#shared/domain/adapter.ts'
import type { Input } from '#shared/ipc/contract.ts'
import { ask } from '../../app/core.ts'
import { formatBytes, formatShare, plural, unknown } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Pill } from '../../components/ui/pill.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { RetireDialog } from './retire-dialog.tsx'

type Change = Input<'adapters.change'>['change']

/** The run's adapters: what made each, how good it is, which one is in use; marked, rolled back to, or retired by a shown plan. */
export function AdapterPanel({ run, signal }: { run: string; signal: number }) {
  const asked = useRequest('adapters.list', { run }, signal)
  const [changed, setChanged] = useState<AdapterList | null>(null)
  const [fault, setFault] = useState<ErrorInfo | null>(null)
  const [busy, setBusy] = useState(false)
  const [plan, setPlan] = useState<AdapterPlan | null>(null)
  const list = changed ?? asked.value
  const act = async (work: () => Promise<void>) => {
    setBusy(true)
    setFault(null)
    try {
      await work()
    } catch (thrown) {
      setFault(toAppError(thrown).info)
    }
    setBusy(false)
  }
  const change = (adapter: string, what: Change) =>
    act(async () => setChanged(await ask('adapters.change', { run, adapter, change: what })))
  if (list === null)
    return asked.error ? (
      <Failure error={asked.error} onRetry={asked.reload} />
    ) : (
      <Loading what="the adapters" />
    )
  return (
    <section className="adapters" aria-labelledby="adapters-title" aria-busy={busy}>
      <h2 id="adapters-title">
        Adapters <small className="dim">{formatBytes(list.diskBytes)} on the disk</small>
      </h2>
      {fault ? (
        <p className="adapters-fault" role="alert">
          {fault.message} {fault.hint}
        </p>
      ) : null}
      {list.adapters.length === 0 ? (
        <p className="dim">None yet: a stage that trains leaves one when it ends.</p>
      ) : (
        <AdapterTable
          list={list}
          busy={busy}
          onChange={change}
          onRetire={(adapter) =>
            act(async () => setPlan(await ask('adapters.plan', { run, adapters: [adapter] })))
          }
        />
      )}
      <RetireDialog
        plan={plan}
        onClose={() => setPlan(null)}
        onConfirm={(shown) => {
          setPlan(null)
          const adapters = shown.adapters.map(({ id }) => id)
          void act(async () => setChanged(await ask('adapters.retire', { run, adapters, plan: shown.plan })))
        }}
      />
    </section>
  )
}

type TableProps = {
  list: AdapterList
  busy: boolean
  onChange: (adapter: string, change: Change) => void
  onRetire: (adapter: string) => void
}

function AdapterTable({ list, busy, onChange, onRetire }: TableProps) {
  return (
    <table className="adapters-table">
      <thead>
        <tr>
          {['Adapter', 'Made by', 'From', 'Held-out', 'Size', 'State', ''].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {list.adapters.map((row) => (
          <tr key={row.id}>
            <th scope="row" className="mono">
              {row.id}
            </th>
            <td>
              {row.stage}, step {row.step}
            </td>
            <td className="mono dim">{row.parent ?? 'base model'}</td>
            <td>{heldOut(row)}</td>
            <td>{formatBytes(row.bytes)}</td>
            <td>
              <State row={row} current={list.current === row.id} />
            </td>
            <td className="adapters-doors">
              <Doors
                row={row}
                current={list.current === row.id}
                busy={busy}
                onChange={onChange}
                onRetire={onRetire}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function heldOut({ heldOut: rate }: AdapterRow): string {
  if (!rate) return unknown
  const share = `${formatShare(rate.passed, rate.graded)}, ${rate.passed} of ${rate.graded}`
  return rate.partial ? `${share}; partial, ${plural(rate.planned, 'draw')} planned` : share
}

function State({ row, current }: { row: AdapterRow; current: boolean }) {
  return (
    <>
      {current ? <Pill tone="accent">in use</Pill> : null}
      {row.mark ? <Pill tone={row.mark === 'good' ? 'good' : 'bad'}>{row.mark}</Pill> : null}
      {row.retired ? <Pill>retired</Pill> : row.present ? null : <Pill tone="bad">files gone</Pill>}
    </>
  )
}

function Doors({
  row,
  current,
  busy,
  onChange,
  onRetire,
}: Omit<TableProps, 'list'> & { row: AdapterRow; current: boolean }) {
  const { id, mark, retired } = row
  return (
    <>
      <Button disabled={busy || current || retired} onClick={() => onChange(id, 'roll_back')}>
        Roll back to it
      </Button>
      <Button disabled={busy} onClick={() => onChange(id, mark === 'good' ? 'unmark' : 'mark_good')}>
        {mark === 'good' ? 'Unmark' : 'Good'}
      </Button>
      <Button disabled={busy} onClick={() => onChange(id, mark === 'bad' ? 'unmark' : 'mark_bad')}>
        {mark === 'bad' ? 'Unmark' : 'Bad'}
      </Button>
      <Button look="danger" disabled={busy || retired} onClick={() => onRetire(id)}>
        Retire…
      </Button>
    </>
  )
}

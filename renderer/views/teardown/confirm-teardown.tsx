import { useState } from 'react'
import type { TeardownRow } from '#shared/domain/lease.ts'
import { plural } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { identityText } from './row-state.ts'

type Props = {
  open: boolean
  run: string
  /** Whether the run is still training; then its name's end has to be typed. */
  alive: boolean
  rows: TeardownRow[]
  onClose: () => void
  onConfirm: () => void
}

/** The last question, naming each thing once more; all by keyboard. */
export function ConfirmTeardown({ open, run, alive, rows, onClose, onConfirm }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Give back ${plural(rows.length, 'thing')} of ${run}?`}
      width={560}
    >
      {open ? <Form run={run} alive={alive} rows={rows} onClose={onClose} onConfirm={onConfirm} /> : null}
    </Dialog>
  )
}

function Form({ run, alive, rows, onClose, onConfirm }: Omit<Props, 'open'>) {
  const tail = run.slice(-6)
  const [typed, setTyped] = useState('')
  const sure = !alive || typed.trim() === tail
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (sure) onConfirm()
      }}
    >
      <ul className="confirm-rows">
        {rows.map((row) => (
          <li key={row.lease}>
            {row.label} <span className="mono dim">{identityText(row)}</span>
          </li>
        ))}
      </ul>
      {alive ? (
        <label className="confirm-typed">
          The run is still training and would end here. Type <b className="mono">{tail}</b> to say that it is
          meant:
          <input
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            data-autofocus
            spellCheck={false}
          />
        </label>
      ) : null}
      <div className="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" disabled={!sure} data-autofocus={alive ? undefined : ''}>
          Give back
        </Button>
      </div>
    </form>
  )
}

import { useState } from 'react'
import type { AuditView } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { RepairEffects } from './repair-effects.tsx'
import { repair, useWork } from './repair-store.ts'
import './repair.css'
import { ofShare } from './share.ts'

type Props = { audit: AuditView; open: boolean; onClose: () => void }

/** A better suite from what this one let through, and what it changes on the very same saved bodies. */
export function RepairDialog({ audit, open, onClose }: Props) {
  const { run, repairs, mechanisms, share } = audit
  const sample = ofShare(share)
  const [cases, setCases] = useState<'swap' | 'add'>('swap')
  const busy = useWork((state) => state.busy[run])
  const last = repairs.at(-1)
  const programs = mechanisms.reduce((sum, mechanism) => sum + mechanism.programs, 0)
  return (
    <Dialog open={open} onClose={onClose} title={`Repair ${audit.suite}`} width={680}>
      <form
        className="repair"
        onSubmit={(event) => {
          event.preventDefault()
          void repair(run, cases)
        }}
      >
        <p className="dim">
          The smallest witness of each of the {plural(mechanisms.length, 'mechanism')} becomes a case; the{' '}
          {plural(programs, 'program')} behind them become negative controls where they are needed. Every
          saved body is then graded again.
          {sample === '' ? '' : ` What is known to be wrong was found ${sample}: more may be.`}
        </p>
        <fieldset className="repair-choice">
          <legend className="visually-hidden">Number of cases</legend>
          <Choice
            value="swap"
            now={cases}
            onChoose={setCases}
            label="Keep the number of cases"
            about="what no saved body needs goes first"
          />
          <Choice
            value="add"
            now={cases}
            onChoose={setCases}
            label="Add cases"
            about="every grade runs more tests"
          />
        </fieldset>
        {last === undefined ? null : <RepairEffects report={last} />}
        <div className="dialog-actions">
          <span className="dim repair-state" role="status">
            {busy === undefined ? made(repairs.length) : `${busy} …`}
          </span>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" disabled={busy !== undefined || programs === 0} data-autofocus>
            {last === undefined ? 'Repair' : 'Repair again'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const made = (count: number) => (count === 0 ? '' : `${formatCount(count)} made for this run`)

type ChoiceProps = {
  value: 'swap' | 'add'
  now: 'swap' | 'add'
  label: string
  about: string
  onChoose: (value: 'swap' | 'add') => void
}

function Choice({ value, now, label, about, onChoose }: ChoiceProps) {
  return (
    <label>
      <input type="radio" name="cases" checked={value === now} onChange={() => onChoose(value)} />
      {label} <span className="dim">{about}</span>
    </label>
  )
}

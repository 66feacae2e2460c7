import { useState } from 'react'
import type { RunSpec } from '#shared/domain/run.ts'
import type { BoxRate } from '#shared/ipc/contract.ts'
import { formatDuration } from '../../app/format.ts'
import { meterOf } from '../../app/meter.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useNow } from '../../components/ui/use-now.ts'
import { useLiveData } from '../../stores/live.ts'
import { chooseRate, useSettings } from '../../stores/settings.ts'

const boxOf = ({ box }: RunSpec): string => (box.kind === 'ssh' ? box.box : 'local')

/** What the run has cost so far, by its own rate or else its box's; a click types the box's. */
export function CostFact() {
  const { head, clockOffsetMs } = useLiveData()
  const rates = useSettings((state) => state.rates)
  const now = useNow() + clockOffsetMs
  const [asking, setAsking] = useState(false)
  if (!head?.spec) return null
  const { spec } = head
  const box = boxOf(spec)
  const own = spec.trainer.kind === 'pipeline' ? spec.trainer.cost : null
  const rate = own ?? rates[box] ?? null
  const meter = rate && meterOf(head, rate, now)
  const title = rate
    ? `${meter ? formatDuration(meter.ms) : 'not started'} at ${rate.ratePerHour} ${rate.currency} an hour${own ? ', the run’s own rate' : ''}`
    : 'No rate is known; click to say what an hour of this box costs'
  return (
    <>
      <button
        type="button"
        className="fact fact-button"
        title={title}
        disabled={own !== null}
        onClick={() => setAsking(true)}
      >
        cost <b>{rate && meter ? `${meter.price.toFixed(2)} ${rate.currency}` : '–'}</b>
      </button>
      <Dialog open={asking} onClose={() => setAsking(false)} title={`What an hour of this box costs: ${box}`}>
        <RateForm
          held={rates[box] ?? null}
          onChoose={(chosen) => {
            chooseRate(box, chosen)
            setAsking(false)
          }}
        />
      </Dialog>
    </>
  )
}

function RateForm({ held, onChoose }: { held: BoxRate | null; onChoose: (rate: BoxRate | null) => void }) {
  const [typed, setTyped] = useState(held ? String(held.ratePerHour) : '')
  const [currency, setCurrency] = useState(held?.currency ?? 'USD')
  const ratePerHour = Number(typed)
  const fault = typed.trim() !== '' && !(ratePerHour >= 0) ? 'Must be a number of 0 or more.' : null
  return (
    <form
      className="rate-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (fault === null)
          onChoose(typed.trim() === '' ? null : { ratePerHour, currency: currency.trim() || 'USD' })
      }}
    >
      <Field label="Rate an hour" about="Left empty, there is no meter." fault={fault}>
        {(ids) => (
          <input
            {...ids}
            data-autofocus
            inputMode="decimal"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <Field label="Currency">
        {(ids) => (
          <input
            {...ids}
            maxLength={8}
            value={currency}
            onChange={({ target }) => setCurrency(target.value)}
          />
        )}
      </Field>
      <p className="dialog-actions">
        <Button type="submit" look="primary" disabled={fault !== null}>
          Keep
        </Button>
      </p>
    </form>
  )
}

import type { AdapterPlan } from '#shared/domain/adapter.ts'
import { formatBytes, plural } from '../../app/format.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'

type Props = {
  /** Null: closed. */
  plan: AdapterPlan | null
  onClose: () => void
  onConfirm: (plan: AdapterPlan) => void
}

/** What would be deleted, before it is; what is confirmed is this very plan. */
export function RetireDialog({ plan, onClose, onConfirm }: Props) {
  const title = plan === null ? 'Retire' : `Delete the files of ${plural(plan.adapters.length, 'adapter')}?`
  return (
    <Dialog open={plan !== null} onClose={onClose} title={title} width={560}>
      {plan === null ? null : (
        <>
          <ul className="confirm-rows">
            {plan.adapters.map((row) => (
              <li key={row.id}>
                <span className="mono">{row.path}</span>, {formatBytes(row.bytes)}
              </li>
            ))}
          </ul>
          <p className="dim">{formatBytes(plan.bytes)} are given back. The record of what they were stays.</p>
          <div className="dialog-actions">
            <Button onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button look="danger" onClick={() => onConfirm(plan)}>
              Delete
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

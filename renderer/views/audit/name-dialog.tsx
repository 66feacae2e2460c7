import type { Mechanism } from '#shared/ipc/contract.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { nameMechanism } from './repair-store.ts'
import './repair.css'

type Props = { run: string; mechanism: Mechanism; open: boolean; onClose: () => void }

/** What the operator calls a mechanism. Both left empty, it has the console's own words again. */
export function NameDialog({ run, mechanism, open, onClose }: Props) {
  const { id, name, description, named } = mechanism
  return (
    <Dialog open={open} onClose={onClose} title="Name this mechanism">
      <form
        className="name-form"
        onSubmit={(event) => {
          event.preventDefault()
          const form = new FormData(event.currentTarget)
          const text = (field: string) => String(form.get(field) ?? '').trim()
          onClose()
          void nameMechanism(run, id, text('name'), text('description'))
        }}
      >
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              name="name"
              maxLength={120}
              defaultValue={named ? name : ''}
              placeholder={name}
              data-autofocus
            />
          )}
        </Field>
        <Field label="What goes wrong">
          {(ids) => (
            <textarea
              {...ids}
              name="description"
              rows={3}
              maxLength={2000}
              defaultValue={named ? description : ''}
              placeholder={description}
            />
          )}
        </Field>
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary">
            Keep
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

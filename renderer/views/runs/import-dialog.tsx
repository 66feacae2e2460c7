import { useState } from 'react'
import { toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'
import { go } from '../../app/router.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'

type Props = { open: boolean; onClose: () => void }

/** Opens what another trainer wrote, by its paths on this machine, as a finished run. */
export function ImportDialog({ open, onClose }: Props) {
  const [text, setText] = useState('')
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const files = text.split('\n').flatMap((line) => line.trim() || [])
  const read = async () => {
    setBusy(true)
    setFault(null)
    try {
      const { run } = await ask('runs.import', { files })
      setText('')
      onClose()
      go({ view: 'live', run })
    } catch (thrown) {
      setFault(toAppError(thrown).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog open={open} onClose={onClose} title="Open another trainer’s journal" width={560}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void read()
        }}
      >
        <Field
          label="Files"
          about="One path a line, on the machine of this console: trainer_state.json and completions_*.parquet of TRL, or traces.jsonl of verifiers and prime-rl."
          fault={fault ?? undefined}
        >
          {(props) => (
            <textarea
              {...props}
              className="mono import-files"
              rows={4}
              data-autofocus
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <p className="dialog-actions">
          <Button type="submit" look="primary" disabled={busy || files.length === 0}>
            {busy ? 'Reading' : 'Open'}
          </Button>
        </p>
      </form>
    </Dialog>
  )
}

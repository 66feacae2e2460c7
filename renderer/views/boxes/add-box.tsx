import { type FormEvent, useState } from 'react'
import type { ErrorInfo } from '#shared/base/errors.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { addBox } from '../../stores/boxes.ts'

/** One line: where the box is, as one would say it to ssh. Adding it tests it. */
export function AddBox() {
  const [target, setTarget] = useState('')
  const [fault, setFault] = useState<ErrorInfo | null>(null)
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const met = await addBox(target.trim())
    setFault(met)
    if (met === null) setTarget('')
  }
  return (
    <form className="add-box" onSubmit={(event) => void add(event)}>
      <Field
        label="Add a box"
        about="an alias of your SSH configuration, or user@host:port"
        fault={fault?.message}
      >
        {(ids) => (
          <input
            {...ids}
            value={target}
            onChange={(event) => setTarget(event.target.value)}
            placeholder="gpu-1"
            spellCheck={false}
            autoComplete="off"
          />
        )}
      </Field>
      <Button type="submit" look="primary" disabled={target.trim() === ''}>
        Add and test
      </Button>
    </form>
  )
}

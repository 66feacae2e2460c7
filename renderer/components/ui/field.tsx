import { type ReactNode, useId } from 'react'
import './field.css'

type Props = {
  label: string
  about?: string
  fault?: string | null | undefined
  unit?: string
  children: (ids: {
    id: string
    'aria-invalid': boolean
    'aria-describedby': string | undefined
  }) => ReactNode
}

/** A labelled field with what it is about below it, or what is wrong with it. */
export function Field({ label, about, fault, unit, children }: Props) {
  const id = useId()
  const note = fault ?? about
  return (
    <div className={fault ? 'field field-fault' : 'field'}>
      <label htmlFor={id}>{label}</label>
      <span className="field-input">
        {children({
          id,
          'aria-invalid': Boolean(fault),
          'aria-describedby': note ? `${id}-note` : undefined,
        })}
        {unit ? <span className="field-unit">{unit}</span> : null}
      </span>
      {note ? (
        <small id={`${id}-note`} role={fault ? 'alert' : undefined}>
          {note}
        </small>
      ) : null}
    </div>
  )
}

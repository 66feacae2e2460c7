import type { ReactNode } from 'react'
import './rollout.css'

/** Names and values in two columns; a row whose value is undefined is left out. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <table className="facts">
      <tbody>
        {rows
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

type SegmentsProps<T extends string> = {
  label: string
  value: T
  options: { value: T; label: string; disabled?: boolean; title?: string }[]
  onChange: (value: T) => void
}

/** One of a few. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a bar
    <span className="seg" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          disabled={option.disabled}
          title={option.title}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </span>
  )
}

import type { Tokens } from '../../theme/tokens.ts'
import './charts.css'

export type Reading = {
  label: string
  token: keyof Tokens
  value: string
  look?: 'line' | 'dashed' | 'block' | 'hatched' | 'hollow' | 'diamond'
  title?: string
}

/**
 * Legend and figures in one: each series' name with its value at the marked step, or at the last one. Where there is little room names are cut, figures
 * never.
 */
export function Readout({ readings }: { readings: Reading[] }) {
  return (
    <span className="readout">
      {readings.map(({ label, token, value, look = 'line', title }) => (
        <span key={label} title={title}>
          <i className={`key key-${look}`} style={{ color: `var(--${token.replaceAll('_', '-')})` }} />
          {label === '' ? null : <span className="readout-name">{label}</span>} <b>{value}</b>
        </span>
      ))}
    </span>
  )
}

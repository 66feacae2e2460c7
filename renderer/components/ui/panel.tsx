import { type ReactNode, useId } from 'react'
import './ui.css'

type Props = {
  title: string
  /** What the panel shows and how to read it, small beside the title. */
  note?: ReactNode
  /** At the right of the title: the figure that sums the panel up. */
  aside?: ReactNode
  children: ReactNode
  className?: string
}

/** A titled box. The title names the region for assistive technology. */
export function Panel({ title, note, aside, children, className = '' }: Props) {
  const id = useId()
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className="panel-note">{note}</span>}
        {aside === undefined ? null : <span className="panel-aside">{aside}</span>}
      </header>
      {children}
    </section>
  )
}

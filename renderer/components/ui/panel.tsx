import { createContext, type ReactNode, useContext, useId } from 'react'
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

/** What every panel of a board can be told to do; at the right end of its head. */
export const PanelTools = createContext<ReactNode>(null)

/** A titled box. The title names the region for assistive technology. */
export function Panel({ title, note, aside, children, className = '' }: Props) {
  const id = useId()
  const tools = useContext(PanelTools)
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className="panel-note">{note}</span>}
        {aside === undefined ? null : <span className="panel-aside">{aside}</span>}
        {tools}
      </header>
      {children}
    </section>
  )
}

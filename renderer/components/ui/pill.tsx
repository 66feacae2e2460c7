import type { ReactNode } from 'react'
import './ui.css'

export type Tone = 'good' | 'warn' | 'bad' | 'accent' | 'alarm' | 'plain'

/** A state in one word; its colour never says more than the word does. */
export function Pill({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`pill pill-${tone}`}>{children}</span>
}

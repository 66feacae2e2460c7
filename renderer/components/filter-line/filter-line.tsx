import { useId, useRef, useState } from 'react'
import type { KnownValues } from '#shared/rollouts/filter-edit.ts'
import { FilterInput } from './filter-input.tsx'
import './filter-line.css'
import { Painted } from './painted.tsx'
import { Suggestions } from './suggestions.tsx'
import { SyntaxHelp } from './syntax-help.tsx'
import { useCompletion } from './use-completion.ts'
import { useFilterDraft } from './use-filter-draft.ts'

type Props = {
  /** The line in force. */
  value: string
  /** Called with a trimmed line that parses: at once on Enter, else shortly after the last key. */
  onApply: (line: string) => void
  known?: KnownValues
  /** A failure of the core about this very line, shown where a fault of the line's own would be. */
  failure?: string | null
}

const nothingKnown: KnownValues = {}

/** The filter line: fields coloured, the term at fault named under it, fields and values completed. */
export function FilterLine({ value, onApply, known = nothingKnown, failure = null }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [scroll, setScroll] = useState(0)
  const [help, setHelp] = useState(false)
  const draft = useFilterDraft(value, onApply)
  const menu = useCompletion(draft, known, (caret) =>
    // The new text must be in the field before the caret can stand in it.
    requestAnimationFrame(() => input.current?.setSelectionRange(caret, caret)),
  )
  const message = draft.fault?.message ?? failure
  const clear = () => {
    draft.set('')
    draft.apply('')
  }
  return (
    <div className={`filter-line ${message === null ? '' : 'faulty'}`}>
      <div className="filter-field">
        <Painted line={draft.text} fault={draft.fault} scroll={scroll} />
        <FilterInput
          id={id}
          ref={input}
          draft={draft}
          menu={menu}
          faulty={message !== null}
          onScroll={setScroll}
        />
        {draft.text === '' ? null : (
          <button type="button" aria-label="Clear the filter" onClick={clear}>
            ×
          </button>
        )}
        <button
          type="button"
          aria-label="Syntax of the filter line"
          aria-expanded={help}
          onClick={() => setHelp(!help)}
        >
          ?
        </button>
      </div>
      {menu.items.length === 0 ? null : <Suggestions id={id} menu={menu} />}
      <div
        id={`${id}-fault`}
        className="filter-fault"
        role="status"
        style={{ marginLeft: `calc(${Math.min(draft.fault?.from ?? 0, 60)}ch + 10px)` }}
      >
        {message}
      </div>
      {help ? <SyntaxHelp onClose={() => setHelp(false)} /> : null}
    </div>
  )
}

import { type KeyboardEvent, type Ref, useCallback, useEffect, useId, useRef, useState } from 'react'
import { filterFault, type KnownValues, type Suggestion, suggest } from '#shared/rollouts/filter-edit.ts'
import './filter-line.css'
import { Painted } from './painted.tsx'
import { Suggestions } from './suggestions.tsx'
import { SyntaxHelp } from './syntax-help.tsx'

type Props = {
  /** The line in force. */
  value: string
  /** Called with a line that parses: at once on Enter, else shortly after the last key. */
  onApply: (line: string) => void
  known?: KnownValues
  /** A failure of the core about this very line, shown where a fault of the line's own would be. */
  failure?: string | null
  inputRef?: Ref<HTMLInputElement>
}

/** Long enough that a half-typed number is not asked for, short enough to feel like the list follows the hand. */
const applyAfterMs = 250

/** The filter line: fields coloured, the term at fault named under it, fields and values completed. */
export function FilterLine({ value, onApply, known = {}, failure = null, inputRef }: Props) {
  const id = useId()
  const own = useRef<HTMLInputElement>(null)
  const [draft, setDraft] = useState(value)
  const [menu, setMenu] = useState<{ items: Suggestion[]; active: number } | null>(null)
  const [scroll, setScroll] = useState(0)
  const [help, setHelp] = useState(false)
  const fault = filterFault(draft)

  // What comes back from the address is this line's own word, trimmed; taking it over would undo what was typed meanwhile.
  const said = useRef(value)
  useEffect(() => {
    if (value === said.current) return
    said.current = value
    setDraft(value)
  }, [value])
  const apply = useCallback(
    (line: string) => {
      said.current = line.trim()
      onApply(said.current)
    },
    [onApply],
  )
  useEffect(() => {
    if (draft.trim() === value || fault !== null || isUnderway(draft)) return
    const timer = setTimeout(() => apply(draft), applyAfterMs)
    return () => clearTimeout(timer)
  }, [draft, value, fault, apply])

  const open = (line: string, caret: number) => {
    const items = suggest(line, caret, known)
    setMenu(items.length === 0 ? null : { items, active: -1 })
  }
  const take = (item: Suggestion) => {
    const text = item.open ? item.text : `${item.text} `
    const line = draft.slice(0, item.from) + text + draft.slice(item.to).replace(/^\s+/, item.open ? ' ' : '')
    const caret = item.from + text.length
    setDraft(line)
    requestAnimationFrame(() => own.current?.setSelectionRange(caret, caret))
    open(line, caret)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const chosen = menu?.items[menu.active]
    if (step !== 0) {
      event.preventDefault()
      if (menu === null) open(draft, event.currentTarget.selectionStart ?? draft.length)
      else setMenu({ ...menu, active: wrap(menu.active + step, menu.items.length) })
    } else if (event.key === 'Tab' && menu !== null && !event.shiftKey && draft !== '') {
      const item = chosen ?? menu.items[0]
      if (item === undefined) return
      event.preventDefault()
      take(item)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (chosen) take(chosen)
      else if (fault === null) {
        setMenu(null)
        apply(draft)
        event.currentTarget.blur()
      }
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      if (menu !== null) setMenu(null)
      else event.currentTarget.blur()
    }
  }

  const message = fault?.message ?? failure
  return (
    <div className={`filter-line ${message ? 'faulty' : ''}`}>
      <div className="filter-field">
        <Painted line={draft} fault={fault} scroll={scroll} />
        <input
          ref={(element) => {
            own.current = element
            if (typeof inputRef === 'function') inputRef(element)
            else if (inputRef) inputRef.current = element
          }}
          data-filter-line
          value={draft}
          placeholder="filter: status:test_failed reward<1 task:…"
          spellCheck={false}
          autoComplete="off"
          role="combobox"
          aria-label="Filter"
          aria-expanded={menu !== null}
          aria-controls={`${id}-menu`}
          aria-activedescendant={menu && menu.active >= 0 ? `${id}-${menu.active}` : undefined}
          aria-invalid={message !== null}
          aria-describedby={`${id}-fault`}
          onChange={(event) => {
            setDraft(event.target.value)
            open(event.target.value, event.target.selectionStart ?? event.target.value.length)
          }}
          onScroll={(event) => setScroll(event.currentTarget.scrollLeft)}
          onKeyDown={onKeyDown}
          onFocus={(event) => open(draft, event.currentTarget.selectionStart ?? draft.length)}
          onBlur={() => setMenu(null)}
        />
        {draft === '' ? null : (
          <button
            type="button"
            className="filter-clear"
            aria-label="Clear the filter"
            onClick={() => {
              setDraft('')
              apply('')
            }}
          >
            ×
          </button>
        )}
        <button
          type="button"
          className="filter-help"
          aria-label="Syntax of the filter line"
          aria-expanded={help}
          onClick={() => setHelp(!help)}
        >
          ?
        </button>
      </div>
      {menu === null ? null : (
        <Suggestions
          id={id}
          items={menu.items}
          active={menu.active}
          left={(menu.items[0]?.from ?? 0) - scroll / 7}
          onTake={take}
        />
      )}
      <div
        id={`${id}-fault`}
        className="filter-fault"
        role="status"
        style={{ marginLeft: `calc(${Math.min(fault?.from ?? 0, 60)}ch + 10px)` }}
      >
        {message}
      </div>
      {help ? <SyntaxHelp onClose={() => setHelp(false)} /> : null}
    </div>
  )
}

/** Whether the line ends in a bare word: it may yet become a field's name, so it is searched for only on Enter or after a space. */
const isUnderway = (line: string) => /(?:^|\s)-?[^\s:<>=!"]+$/.test(line)

const wrap = (index: number, length: number) => (index < -1 ? length - 1 : index >= length ? -1 : index)

import { type KeyboardEvent, useState } from 'react'
import { type KnownValues, type Suggestion, suggest } from '#shared/rollouts/filter-edit.ts'
import type { FilterDraft } from './use-filter-draft.ts'

export type Completion = {
  items: Suggestion[]
  /** −1 while none is chosen. */
  active: number
  open(line: string, caret: number): void
  close(): void
  take(item: Suggestion): void
  onKeyDown(event: KeyboardEvent<HTMLInputElement>): void
}

/** The menu under the line: opened by typing, moved in by arrows, taken by tab, or by enter where one is chosen. */
export function useCompletion(
  draft: FilterDraft,
  known: KnownValues,
  moveCaret: (to: number) => void,
): Completion {
  const [{ items, active }, setMenu] = useState<{ items: Suggestion[]; active: number }>({
    items: [],
    active: -1,
  })
  const open = (line: string, caret: number) => setMenu({ items: suggest(line, caret, known), active: -1 })
  const close = () => setMenu({ items: [], active: -1 })
  const take = (item: Suggestion) => {
    const text = item.open ? item.text : `${item.text} `
    const rest = draft.text.slice(item.to).replace(/^\s+/, item.open ? ' ' : '')
    const line = draft.text.slice(0, item.from) + text + rest
    const caret = item.from + text.length
    draft.set(line)
    moveCaret(caret)
    open(line, caret)
  }
  const onArrow = (event: KeyboardEvent<HTMLInputElement>, step: number) => {
    event.preventDefault()
    if (items.length > 0) setMenu({ items, active: wrap(active + step, items.length) })
    else open(draft.text, event.currentTarget.selectionStart ?? draft.text.length)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const chosen = items[active]
    const first = chosen ?? items[0]
    if (event.key === 'ArrowDown') onArrow(event, 1)
    else if (event.key === 'ArrowUp') onArrow(event, -1)
    else if (event.key === 'Tab' && !event.shiftKey && first && draft.text !== '') {
      event.preventDefault()
      take(first)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      if (chosen) return take(chosen)
      if (draft.fault !== null) return
      close()
      draft.apply(draft.text)
      event.currentTarget.blur()
    } else if (event.key === 'Escape') {
      event.stopPropagation()
      if (items.length > 0) close()
      else event.currentTarget.blur()
    }
  }
  return { items, active, open, close, take, onKeyDown }
}

const wrap = (index: number, length: number) => (index < -1 ? length - 1 : index >= length ? -1 : index)

import type { RefObject } from 'react'
import type { Completion } from './use-completion.ts'
import type { FilterDraft } from './use-filter-draft.ts'

type Props = {
  id: string
  ref: RefObject<HTMLInputElement | null>
  draft: FilterDraft
  menu: Completion
  faulty: boolean
  onScroll: (left: number) => void
}

/** The field itself: its text is transparent, the coloured copy behind it is what one sees. */
export function FilterInput({ id, ref, draft, menu, faulty, onScroll }: Props) {
  return (
    <input
      ref={ref}
      data-filter-line
      value={draft.text}
      placeholder="filter: status:test_failed reward<1 task:…"
      spellCheck={false}
      autoComplete="off"
      role="combobox"
      aria-label="Filter"
      aria-expanded={menu.items.length > 0}
      aria-controls={`${id}-menu`}
      aria-activedescendant={menu.active >= 0 ? `${id}-${menu.active}` : undefined}
      aria-invalid={faulty}
      aria-describedby={`${id}-fault`}
      onChange={({ target }) => {
        draft.set(target.value)
        menu.open(target.value, target.selectionStart ?? target.value.length)
      }}
      onScroll={({ currentTarget }) => onScroll(currentTarget.scrollLeft)}
      onKeyDown={menu.onKeyDown}
      onFocus={({ currentTarget }) =>
        menu.open(draft.text, currentTarget.selectionStart ?? draft.text.length)
      }
      onBlur={menu.close}
    />
  )
}

import type { Suggestion } from '#shared/rollouts/filter-edit.ts'

type Props = {
  id: string
  items: Suggestion[]
  active: number
  /** Characters from the line's start to the term being completed. */
  left: number
  onTake: (item: Suggestion) => void
}

export function Suggestions({ id, items, active, left, onTake }: Props) {
  return (
    <div
      id={`${id}-menu`}
      className="filter-menu"
      role="listbox"
      aria-label="Completions"
      style={{ left: `${Math.max(0, Math.min(left, 50))}ch` }}
    >
      {items.map((item, index) => (
        <div
          key={item.text}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={index === active ? 'on' : undefined}
          // Down, not click: a click would come after the input's blur has closed this.
          onMouseDown={(event) => {
            event.preventDefault()
            onTake(item)
          }}
        >
          <span className="mono">{item.label}</span>
          <span className="dim">{item.detail}</span>
        </div>
      ))}
      <div className="filter-menu-keys" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>tab</kbd> take <kbd>enter</kbd> apply
      </div>
    </div>
  )
}

import type { Completion } from './use-completion.ts'

/** Far enough right that the menu stands under its term, not so far that it leaves the window. */
const furthestCh = 50

export function Suggestions({ id, menu }: { id: string; menu: Completion }) {
  const from = menu.items[0]?.from ?? 0
  return (
    <div
      id={`${id}-menu`}
      className="filter-menu"
      role="listbox"
      aria-label="Completions"
      style={{ left: `${Math.min(from, furthestCh)}ch` }}
    >
      {menu.items.map((item, index) => (
        <div
          key={item.text}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === menu.active}
          className={index === menu.active ? 'on' : undefined}
          // Down, not click: a click would come after the input's blur has closed this.
          onMouseDown={(event) => {
            event.preventDefault()
            menu.take(item)
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

import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { RowCache } from './row-cache.ts'
import './table.css'
import { TableHeading } from './table-heading.tsx'
import { rowHeight, TableRow } from './table-row.tsx'

export type Column<Row, Sort extends string = string> = {
  key: string
  label: string
  /** Pixels; without it the column shares what is left. */
  width?: number
  align?: 'right'
  title?: string
  /** The order that a click on the heading asks for, where the list can be had in it. */
  sort?: Sort
  /** Which way that order goes. */
  direction?: 'ascending' | 'descending'
  cell: (row: Row) => ReactNode
}

export type TableProps<Row, Sort extends string> = {
  label: string
  cache: RowCache<Row>
  columns: Column<Row, Sort>[]
  rowId: (row: Row) => string
  /** A class for a row that stands out. */
  rowTone?: (row: Row) => string | undefined
  /** Number of the row under the cursor. */
  cursor: number
  onCursor: (index: number) => void
  onOpen: (row: Row) => void
  sort?: Sort
  onSort?: (sort: Sort) => void
  empty: ReactNode
}

/** A list of any length of which only the rows in view exist. The owner moves the cursor; it is kept in view. */
export function VirtualTable<Row, Sort extends string = string>(props: TableProps<Row, Sort>) {
  const { cache, cursor, columns } = props
  useCacheChanges(cache)
  const scroller = useRef<HTMLDivElement>(null)
  const count = cache.total ?? 0
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // The heading sticks over the first rows; what is scrolled to must come out below it.
    scrollPaddingStart: rowHeight + 4,
  })
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = (items.at(-1)?.index ?? 60) + 1
  useEffect(() => cache.want(from, to), [cache, from, to])
  useEffect(() => {
    if (cursor < count) virtual.scrollToIndex(cursor, { align: 'auto' })
  }, [cursor, count, virtual])
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className="vtable" ref={scroller} tabIndex={0}>
      <table
        aria-label={props.label}
        aria-rowcount={count + 1}
        style={{ minWidth: columns.reduce((sum, column) => sum + (column.width ?? 90), 0) }}
      >
        <TableHeading columns={columns} sort={props.sort} onSort={props.onSort} />
        <tbody>
          <Spacer height={items[0]?.start ?? 0} />
          {items.map((item) => (
            <TableRow key={item.key} {...props} index={item.index} row={cache.rowAt(item.index)} />
          ))}
          <Spacer height={after} />
        </tbody>
      </table>
      {count === 0 && cache.total !== null ? <div className="vtable-empty">{props.empty}</div> : null}
      {cache.total === null && cache.error === null ? (
        <div className="vtable-empty dim">Reading …</div>
      ) : null}
    </div>
  )
}

/** Stands for the rows out of view. */
function Spacer({ height }: { height: number }) {
  return height <= 0 ? null : <tr className="vtable-spacer" style={{ height }} />
}

function useCacheChanges<Row>(cache: RowCache<Row>) {
  const [, redraw] = useState(0)
  useEffect(() => cache.changed.on(() => redraw((n) => n + 1)), [cache])
}

import type { TableProps } from './virtual-table.tsx'

export const rowHeight = 26

type Props<Row, Sort extends string> = TableProps<Row, Sort> & { index: number; row: Row | undefined }

/**
 * One row; empty, but in its place, while its page is on the way. A click moves the cursor to it, a second click opens it; by
 * keyboard the owner's keys do.
 */
export function TableRow<Row, Sort extends string>(props: Props<Row, Sort>) {
  const { row, index, columns } = props
  const on = index === props.cursor
  const tone = row === undefined ? undefined : props.rowTone?.(row)
  return (
    <tr
      aria-rowindex={index + 2}
      aria-current={on || undefined}
      data-id={row === undefined ? undefined : props.rowId(row)}
      className={[on ? 'on' : '', tone ?? ''].join(' ')}
      style={{ height: rowHeight }}
      onClick={() => {
        props.onCursor(index)
        if (row !== undefined && on) props.onOpen(row)
      }}
    >
      {columns.map((column) => (
        <td key={column.key} className={column.align}>
          {row === undefined ? null : column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

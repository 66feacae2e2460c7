import type { Column } from './virtual-table.tsx'

type Props<Row, Sort extends string> = {
  columns: Column<Row, Sort>[]
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

export function TableHeading<Row, Sort extends string>({ columns, sort, onSort }: Props<Row, Sort>) {
  return (
    <>
      <colgroup>
        {columns.map((column) => (
          <col key={column.key} style={column.width === undefined ? undefined : { width: column.width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => {
            const order = column.sort
            const sorted = order !== undefined && order === sort
            return (
              <th
                key={column.key}
                scope="col"
                title={column.title}
                className={column.align}
                aria-sort={sorted ? (column.direction ?? 'ascending') : undefined}
              >
                {order === undefined ? (
                  column.label
                ) : (
                  <button
                    type="button"
                    className={sorted ? 'sorted' : undefined}
                    onClick={() => onSort?.(order)}
                  >
                    {column.label}
                  </button>
                )}
              </th>
            )
          })}
        </tr>
      </thead>
    </>
  )
}

import { useMemo, useState } from 'react'
import type { TaskList } from '#shared/ipc/contract.ts'
import { arraySource } from '../../components/table/array-source.ts'
import { RowCache } from '../../components/table/row-cache.ts'
import { type Column, VirtualTable } from '../../components/table/virtual-table.tsx'

type Drop = TaskList['dropped'][number]

/** What is no task, and why: the rules by how many they dropped, each a filter of the list. */
export function DroppedList({ dropped }: { dropped: Drop[] }) {
  const [reason, setReason] = useState<string | null>(null)
  const [cursor, setCursor] = useState(0)
  const counts = useMemo(() => countsOf(dropped), [dropped])
  const rows = useMemo(
    () => dropped.filter((one) => reason === null || one.reason === reason),
    [dropped, reason],
  )
  const cache = useMemo(() => new RowCache(arraySource(rows)), [rows])
  return (
    <div className="dropped">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a bar */}
      <div className="dropped-reasons" role="group" aria-label="Reasons">
        {counts.map(([name, count]) => (
          <button
            key={name}
            type="button"
            aria-pressed={reason === name}
            onClick={() => setReason(reason === name ? null : name)}
          >
            <b>{count}</b> {words(name)}
          </button>
        ))}
      </div>
      <VirtualTable
        label="Dropped"
        cache={cache}
        columns={columns}
        rowId={(row) => `${row.task} ${row.line ?? ''}`}
        cursor={Math.min(cursor, Math.max(0, rows.length - 1))}
        onCursor={setCursor}
        onOpen={() => undefined}
        empty={<p className="dim">Nothing was dropped.</p>}
      />
    </div>
  )
}

function countsOf(dropped: readonly Drop[]): [reason: string, count: number][] {
  const counts = new Map<string, number>()
  for (const { reason } of dropped) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}

const words = (reason: string) => reason.replaceAll('_', ' ')

const columns: Column<Drop>[] = [
  { key: 'task', label: 'what', width: 320, cell: (row) => <b className="task-name">{row.task}</b> },
  { key: 'line', label: 'line', width: 64, align: 'right', cell: (row) => row.line ?? '' },
  { key: 'reason', label: 'why', width: 190, cell: (row) => words(row.reason) },
  { key: 'detail', label: '', cell: (row) => <span className="dim">{row.detail}</span> },
]

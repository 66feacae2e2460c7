import { Download } from 'lucide-react'
import { useCallback } from 'react'
import { toast } from 'sonner'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { RolloutRow } from '#shared/ipc/contract.ts'
import { ask } from '../../app/core.ts'
import { formatCount, plural } from '../../app/format.ts'
import { useKeys } from '../../app/keys.ts'
import { go } from '../../app/router.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { HeaderSlot } from '../../app/slots.tsx'
import { FilterLine } from '../../components/filter-line/filter-line.tsx'
import { download } from '../../components/rollout/download.ts'
import { VirtualTable } from '../../components/table/virtual-table.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Failure } from '../../components/ui/states.tsx'
import { useRunSummary } from '../../stores/runs.ts'
import { columns } from './columns.tsx'
import { useListCursor } from './list-cursor.ts'
import type { ListKey } from './rollout-list.ts'
import { SummaryStrip } from './summary-strip.tsx'
import { useRolloutList } from './use-rollout-list.ts'

type Props = { list: ListKey; onMove: (next: { filter?: string; sort?: RolloutSort }) => void }

export function RolloutsOfRun({ list: key, onMove }: Props) {
  const list = useRolloutList(key.run, key.filter, key.sort)
  const name = JSON.stringify(key)
  const cursor = useListCursor((state) => (state.list === name ? state.index : 0))
  const summary = useRunSummary(key.run)
  const { cache } = list
  const total = cache.total ?? 0
  const moveTo = (index: number) =>
    useListCursor.setState({ list: name, index: Math.max(0, Math.min(total - 1, index)) })
  const open = (row: RolloutRow) =>
    go({ view: 'rollout', rollout: row.rollout, filter: key.filter, sort: key.sort })
  const apply = useCallback((filter: string) => onMove({ filter: filter.trim() }), [onMove])
  useListKeys({
    cursor,
    total,
    moveTo,
    open: () => {
      const row = cache.rowAt(cursor)
      if (row) open(row)
    },
    export: () => void exportRows(key),
  })
  const fault = cache.error?.code === 'bad_filter' ? cache.error.message : null
  return (
    <>
      <HeaderSlot>
        <h1>Rollouts</h1>
        <span className="dim">{summary?.name ?? key.run}</span>
        <span role="status">{cache.total === null ? '' : plural(total, 'rollout')}</span>
      </HeaderSlot>
      <div className="rollouts-bar">
        <FilterLine value={key.filter} onApply={apply} known={list.known} failure={fault} />
        <Button onClick={() => void exportRows(key)} disabled={total === 0}>
          <Download size={13} aria-hidden /> Export {formatCount(total)} as JSONL
        </Button>
      </div>
      {list.summary === null ? null : <SummaryStrip list={key} summary={list.summary} />}
      {cache.error !== null && fault === null && cache.total === null ? (
        <Failure error={cache.error} onRetry={() => cache.refresh()} />
      ) : (
        <VirtualTable
          label="Rollouts"
          cache={cache}
          columns={columns}
          rowId={(row) => row.rollout}
          rowTone={(row) => (row.reward === null ? 'silent-row' : undefined)}
          cursor={cursor}
          onCursor={moveTo}
          onOpen={open}
          sort={key.sort}
          onSort={(sort) => onMove({ sort })}
          empty={<NoRows filter={key.filter} onClear={() => onMove({ filter: '' })} />}
        />
      )}
    </>
  )
}

type ListKeys = {
  cursor: number
  total: number
  moveTo: (index: number) => void
  open: () => void
  export: () => void
}

function useListKeys({ cursor, total, moveTo, open, export: exportAll }: ListKeys): void {
  const page = 25
  useKeys('Rollouts', [
    { keys: 'j', label: 'next', footer: true, run: () => moveTo(cursor + 1) },
    { keys: 'k', label: 'previous', footer: true, run: () => moveTo(cursor - 1) },
    { keys: 'ArrowDown', show: '↓', label: 'next', run: () => moveTo(cursor + 1) },
    { keys: 'ArrowUp', show: '↑', label: 'previous', run: () => moveTo(cursor - 1) },
    { keys: 'PageDown', label: `${page} down`, run: () => moveTo(cursor + page) },
    { keys: 'PageUp', label: `${page} up`, run: () => moveTo(cursor - page) },
    { keys: 'Home', label: 'first', run: () => moveTo(0) },
    { keys: 'End', label: 'last', run: () => moveTo(total - 1) },
    { keys: 'Enter', label: 'open', footer: true, run: open },
    { keys: 'e', label: 'export', footer: true, run: exportAll },
  ])
}

function NoRows({ filter, onClear }: { filter: string; onClear: () => void }) {
  if (filter === '') return <p className="dim">This run has drawn no rollout yet.</p>
  return (
    <>
      <p>
        No rollout meets <span className="mono">{filter}</span>.
      </p>
      <p>
        <Button onClick={onClear}>Clear the filter</Button>
      </p>
    </>
  )
}

async function exportRows({ run, filter }: ListKey): Promise<void> {
  try {
    const { jsonl, rows } = await ask('export.rollouts', { run, filter })
    if (rows === 0)
      throw new AppError('not_found', 'There is no rollout to export.', { hint: 'Widen the filter.' })
    download(`${run}-rollouts.jsonl`, jsonl)
    toast.success(`${plural(rows, 'rollout')} exported`)
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  }
}

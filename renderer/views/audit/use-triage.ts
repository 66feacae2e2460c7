import { useCallback, useMemo, useState } from 'react'
import { nextOpen } from '#shared/audit/triage.ts'
import type { ErrorInfo } from '#shared/base/errors.ts'
import type { QueueName, TriageList, TriageRow } from '#shared/ipc/contract.ts'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'
import { type Given, reviewRows } from './review.ts'
import { useVerdicts } from './verdict-store.ts'

const none: Given = {}
const noRows: TriageRow[] = []

/** Between two looks at what changes, ms: many programs take longer to read and to lay out. */
export const pauseMs = (programs: number) => 1000 + programs / 8

export type TriageState = {
  list: TriageList | null
  error: ErrorInfo | null
  /** With what was said of each here. */
  rows: TriageRow[]
  selected: string | null
  select: (key: string) => void
  selectBody: (bodySha256: string) => void
}

/** One list of the audit and the place in it. The first open program is selected until another is. */
export function useTriage(run: string, queue: QueueName, filter: string): TriageState {
  const signal = useSignals((state) => state.audits[run] ?? 0)
  const [length, setLength] = useState(0)
  const request = useRequest('audit.queue', { run, queue, filter }, signal, pauseMs(length))
  const [last, setLast] = useState<TriageList | null>(null)
  // A filter at fault is said beside the list as it was.
  const list = request.value ?? (last?.queue === queue ? last : null)
  if (request.value !== null && request.value !== last) {
    setLast(request.value)
    setLength(request.value.rows.length)
  }
  const given = useVerdicts((state) => state.given[run] ?? none)
  const rows = useMemo(() => (list === null ? noRows : reviewRows(list, given)), [list, given])
  const [chosen, setChosen] = useState<string | null>(null)
  const isListed = useMemo(() => chosen !== null && rows.some((row) => row.key === chosen), [rows, chosen])
  const selected = isListed ? chosen : (nextOpen(rows, null) ?? rows[0]?.key ?? null)
  // What is shown first stays selected when its verdict is given, or the first key would already move on.
  if (selected !== chosen) setChosen(selected)
  const selectBody = useCallback(
    (bodySha256: string) => {
      const row = rows.find((one) => one.bodySha256 === bodySha256)
      if (row) setChosen(row.key)
    },
    [rows],
  )
  return { list, error: request.error, rows, selected, select: setChosen, selectBody }
}

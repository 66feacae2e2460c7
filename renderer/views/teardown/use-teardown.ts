import { useMemo, useState } from 'react'
import type { ErrorInfo } from '#shared/base/errors.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import { ask } from '../../app/core.ts'
import { useSignals } from '../../stores/signals.ts'
import { useRequest } from '../../stores/use-request.ts'
import { type ShownRow, shownRows } from './row-state.ts'

const nothingTold = {}

/** One teardown from its plan to its proof. A later one (of what was left) starts from a new plan. */
export function useTeardown(run: string) {
  const planned = useRequest('teardown.plan', { run })
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set())
  const [frozen, setFrozen] = useState<TeardownRow[] | null>(null)
  const [report, setReport] = useState<TeardownReport | null>(null)
  const [running, setRunning] = useState(false)
  const [error, setError] = useState<ErrorInfo | null>(null)
  const told = useSignals((state) => state.teardowns[run]) ?? nothingTold
  const plan = frozen ?? planned.value?.plan ?? null
  const chosen = useMemo(
    () =>
      new Set(
        (plan ?? [])
          .filter((row) => row.action === 'release' && !refused.has(row.lease))
          .map((row) => row.lease),
      ),
    [plan, refused],
  )
  const rows = useMemo(
    () => (plan === null ? null : shownRows(plan, report, told, chosen, running)),
    [plan, report, told, chosen, running],
  )

  const earlier: ShownRow[] = (planned.value?.earlier ?? []).map((row) => ({
    row,
    state: 'released',
    says: row.proof,
  }))

  const toggle = (lease: string) =>
    setRefused((now) => {
      const next = new Set(now)
      if (!next.delete(lease)) next.add(lease)
      return next
    })
  const execute = async (confirm: string[]) => {
    useSignals.setState(({ teardowns }) => ({ teardowns: { ...teardowns, [run]: {} } }))
    setFrozen(plan)
    setRunning(true)
    setError(null)
    try {
      setReport(await ask('teardown.run', { run, confirm }))
    } catch (thrown) {
      setError(toAppError(thrown).info)
    } finally {
      setRunning(false)
    }
  }
  /** Looks again: at what is still held after a teardown, or after a failure. */
  const again = () => {
    setFrozen(null)
    setReport(null)
    setError(null)
    setRefused(new Set())
    planned.reload()
  }
  /** Tries what is left again and takes the folder `lease` even where evidence in it is nowhere else. */
  const discard = (lease: string) =>
    void execute([...(report?.left.map((row) => row.lease) ?? []), lease, `${lease}#discard`])
  return {
    plan,
    rows,
    earlier,
    chosen,
    report,
    running,
    error: error ?? planned.error,
    toggle,
    execute,
    again,
    discard,
  }
}

export type Teardown = ReturnType<typeof useTeardown>

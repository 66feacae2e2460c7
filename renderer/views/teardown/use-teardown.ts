import { useMemo, useState } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { TeardownReport } from '#shared/domain/lease.ts'
import { ask } from '../../app/core.ts'
import { useSignals } from '../../stores/signals.ts'
import { shownRows } from './row-state.ts'
import { usePlan } from './use-plan.ts'

const nothingTold = {}

/** One teardown from its plan to its proof. A later one (of what was left) starts from a new plan. */
export function useTeardown(run: string) {
  const { plan, chosen, earlier, toggle, freeze, ...planned } = usePlan(run)
  const [report, setReport] = useState<TeardownReport | null>(null)
  const [running, setRunning] = useState(false)
  const [failure, setFailure] = useState<ErrorInfo | null>(null)
  const told = useSignals((state) => state.teardowns[run]) ?? nothingTold
  const rows = useMemo(
    () => (plan === null ? null : shownRows(plan, report, told, chosen, running)),
    [plan, report, told, chosen, running],
  )
  const execute = async (confirm: string[]) => {
    useSignals.setState(({ teardowns }) => ({ teardowns: { ...teardowns, [run]: {} } }))
    freeze()
    setRunning(true)
    setFailure(null)
    try {
      setReport(await ask('teardown.run', { run, confirm }))
    } catch (thrown) {
      setFailure(toAppError(thrown).info)
    } finally {
      setRunning(false)
    }
  }
  /** Looks again: at what is still held after a teardown, or after a failure. */
  const again = () => {
    setReport(null)
    setFailure(null)
    planned.lookAgain()
  }
  /** Tries what is left again and takes the folder `lease` even where evidence in it is nowhere else. */
  const discard = (lease: string) =>
    void execute([...(report?.left.map((row) => row.lease) ?? []), lease, `${lease}#discard`])
  const error = failure ?? planned.error
  return { plan, rows, earlier, chosen, report, running, error, toggle, execute, again, discard }
}

export type Teardown = ReturnType<typeof useTeardown>

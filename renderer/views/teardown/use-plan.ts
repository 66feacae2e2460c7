import { useMemo, useState } from 'react'
import type { TeardownRow } from '#shared/domain/lease.ts'
import { useRequest } from '../../stores/use-request.ts'
import type { ShownRow } from './row-state.ts'

/** What a teardown would do, and which of it the operator wants done. */
export function usePlan(run: string) {
  const planned = useRequest('teardown.plan', { run })
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set())
  /** The plan as it was when the teardown began: its rows stay in place while things go. */
  const [frozen, setFrozen] = useState<TeardownRow[] | null>(null)
  const plan = frozen ?? planned.value?.plan ?? null
  const chosen = useMemo(() => {
    const wanted = (plan ?? []).filter((row) => row.action === 'release' && !refused.has(row.lease))
    return new Set(wanted.map((row) => row.lease))
  }, [plan, refused])
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
  const lookAgain = () => {
    setFrozen(null)
    setRefused(new Set())
    planned.reload()
  }
  return { plan, chosen, earlier, error: planned.error, toggle, freeze: () => setFrozen(plan), lookAgain }
}

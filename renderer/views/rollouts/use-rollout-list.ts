import { useEffect, useMemo, useState } from 'react'
import type { RolloutSort } from '../../app/routes.ts'
import { useSignals } from '../../stores/signals.ts'
import { useThrottled } from '../../stores/use-request.ts'
import { RolloutList } from './rollout-list.ts'

/** A list that follows its run; at most one refresh in this time, however fast the run is. */
const refreshMs = 1500

export function useRolloutList(run: string, filter: string, sort: RolloutSort): RolloutList {
  const list = useMemo(() => new RolloutList({ run, filter, sort }), [run, filter, sort])
  const [, redraw] = useState(0)
  useEffect(() => {
    const redrawn = () => redraw((count) => count + 1)
    const ends = [list.changed.on(redrawn), list.cache.changed.on(redrawn)]
    return () => {
      for (const end of ends) end()
      list.dispose()
    }
  }, [list])
  const signal = useSignals((state) => (state.seqs[run] ?? 0) + (state.audits[run] ?? 0))
  const settled = useThrottled(signal, refreshMs)
  const [seen, setSeen] = useState(settled)
  useEffect(() => {
    if (settled === seen) return
    setSeen(settled)
    void list.refresh()
  }, [settled, seen, list])
  return list
}

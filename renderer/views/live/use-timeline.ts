import type { ClusterTimeline } from '#shared/ipc/clusters.ts'
import { useClusters } from '../../stores/clusters.ts'
import { useLive, useLiveData } from '../../stores/live.ts'
import { useRequest } from '../../stores/use-request.ts'

/** What the watched run's verifier met in its cluster; null where it is not in one, and until the first answer. */
export function useTimeline(): ClusterTimeline | null {
  const run = useLive((state) => state.run)
  const data = useLiveData()
  const moved = useClusters((state) => (run === null ? 0 : (state.moved[run] ?? 0)))
  const placed = data.head?.spec?.verifier.placement !== undefined
  // What the replicas do moves with what is graded, not only with what the cluster tells.
  const signal = moved + (data.verifier?.graded ?? 0)
  return useRequest('clusters.timeline', placed && run !== null ? { run } : null, signal, 2_000).value
}

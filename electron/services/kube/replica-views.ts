import type { ReplicaHealth } from '#shared/domain/replica.ts'
import type { ReplicaView } from '#shared/ipc/clusters.ts'
import type { PodFacts } from '#shared/kube/pod-facts.ts'
import { whyNot } from './attendance.ts'

/** What the cluster says of each pod, and what the run's own verifier says of the same. */
export function replicaViews(pods: PodFacts[], replicas: ReplicaHealth[]): ReplicaView[] {
  const heard = new Map(replicas.map((replica) => [replica.uid, replica]))
  const views = pods.map((pod) => viewOf(pod, heard.get(pod.uid) ?? null))
  const known = new Set(pods.map((pod) => pod.uid))
  const gone = replicas.filter((replica) => !known.has(replica.uid))
  return [
    ...views,
    ...gone.map(({ id, uid, graded, commit }) => ({
      pod: id,
      uid,
      state: 'gone' as const,
      detail: 'the cluster has it no more',
      restarts: 0,
      commit,
      load: null,
      graded,
      warm: null,
    })),
  ]
}

function viewOf(pod: PodFacts, replica: ReplicaHealth | null): ReplicaView {
  const why = whyNot(pod)
  return {
    pod: pod.name,
    uid: pod.uid,
    state: stateOf(pod, why, replica),
    detail: why ?? replica?.problem ?? '',
    restarts: pod.containers.reduce((sum, container) => sum + container.restarts, 0),
    commit: replica?.commit ?? null,
    load: replica?.inHand ?? null,
    graded: replica?.graded ?? null,
    warm:
      replica === null || replica.warm === null || replica.workers === null
        ? null
        : { done: replica.warm, total: replica.workers },
  }
}

function stateOf(pod: PodFacts, why: string | null, replica: ReplicaHealth | null): ReplicaView['state'] {
  if (replica?.drifted) return 'drifted'
  if (pod.failed || pod.deleting) return 'gone'
  const failing = pod.containers.some(({ waiting }) => waiting && /BackOff|Err|Invalid/.test(waiting.reason))
  if (failing || pod.unschedulable !== null) return 'failing'
  return why === null && (replica?.usable ?? pod.ready) ? 'ready' : 'starting'
}

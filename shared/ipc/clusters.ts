import { z } from 'zod'
import { RunId } from '../base/ids.ts'
import { ClusterVerifierDraft } from '../domain/placement.ts'
import type { DeriveNote } from '../kube/derive.ts'
import type { KubeMark } from '../kube/marks.ts'
import type { ObjectDiff } from '../kube/object-diff.ts'

/** The part of the contract that is about Kubernetes clusters and the verifiers in them. */
const place = { context: z.string().min(1).max(300), namespace: z.string().min(1).max(63) }

export const clusterInputs = {
  'clusters.list': z.object({}),
  /** `cluster` is a view's `key`: the switch belongs to the cluster, whatever context leads there. */
  'clusters.setWritable': z.object({ cluster: z.string(), writable: z.boolean() }),
  /** Opens it: what may be done there, which verifiers others share, which are ours. */
  'clusters.look': z.object(place),
  /** What a run's verifier would be, beside what it is made from. Creates nothing. */
  'clusters.plan': z.object({ draft: ClusterVerifierDraft }),
  /** What happened to the run's verifier in its cluster, oldest first. */
  'clusters.timeline': z.object({ run: RunId }),
} as const

/** One context of the kubeconfigs. What leads to no cluster has a problem and nulls. */
export type ContextView = {
  context: string
  current: boolean
  server: string | null
  caSha256: string | null
  /** The cluster it leads to; the same for every context that leads there. */
  key: string | null
  namespace: string | null
  /** Index into the window's hues. */
  colour: number | null
  writable: boolean
  problem: string | null
}

/** `action` is what a person would do, `what` the right it needs: `create deployments`. */
export type AccessRow = { action: string; what: string; allowed: boolean }

export type SharedVerifier = { name: string; service: string | null; image: string; replicas: number }

/** Something with our label. `run` null where its label is no run's. */
export type OurObject = {
  kind: string
  namespace: string
  name: string
  uid: string
  run: string | null
  createdAt: string | null
  /** Whether this console has it in its ledger. */
  leased: boolean
}

export type ClusterLook = {
  version: string
  /** Null where this user may not read the namespace: then no run can be pinned to it. */
  namespaceUid: string | null
  access: AccessRow[]
  shared: SharedVerifier[]
  ours: OurObject[]
}

export type ClusterPlan = {
  name: string
  diffs: ObjectDiff[]
  notes: DeriveNote[]
}

/** The state of one replica of a run's verifier. */
export type ReplicaView = {
  pod: string
  uid: string
  state: 'ready' | 'starting' | 'failing' | 'drifted' | 'gone'
  detail: string
  restarts: number
  commit: string | null
  /** Bodies it has in hand, and how many it has finished. */
  load: number | null
  graded: number | null
  /** Workers whose caches are filled, of all of them. */
  warm: { done: number; total: number } | null
}

/**
 * `waiting`: not started yet. `live`: bytes come. `quiet`: connected, and nothing came for a while. `ended`: the container ended and its log
 * was read to the end. `dropped`: the connection was lost, or refused, and is tried again. `gone`: there is no such pod any more.
 */
export type LogState = 'waiting' | 'live' | 'quiet' | 'ended' | 'dropped' | 'gone'

/** The log of one container. `detail` says why it is in that state. */
export type LogSourceView = {
  pod: string
  container: string
  state: LogState
  detail: string
  lastByteAt: string | null
  lines: number
}

export type ClusterTimeline = {
  marks: KubeMark[]
  replicas: ReplicaView[]
  /** Null: every replica says the run's commit. */
  drift: string | null
  /** Each container's log as it stands, and why new pods cannot be looked for; null while no console attends to the run. */
  logs: { sources: LogSourceView[]; trouble: string | null } | null
  /** Whether the cluster still tells what happens; null while no console attends to the run. */
  watch: { state: 'listing' | 'live' | 'lost'; reason: string; since: string } | null
}

export type ClusterOutputs = {
  'clusters.list': { contexts: ContextView[]; files: string[]; problems: string[] }
  'clusters.setWritable': { contexts: ContextView[]; files: string[]; problems: string[] }
  'clusters.look': ClusterLook
  'clusters.plan': ClusterPlan
  'clusters.timeline': ClusterTimeline
}

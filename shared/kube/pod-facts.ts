import { z } from 'zod'
import type { KubeObject } from './objects.ts'

const ended = z.looseObject({
  exitCode: z.number(),
  reason: z.string().optional(),
  finishedAt: z.string().nullish(),
  message: z.string().optional(),
})
const waiting = z.looseObject({ reason: z.string().optional(), message: z.string().optional() })
const ContainerStatus = z.looseObject({
  name: z.string(),
  ready: z.boolean(),
  restartCount: z.number(),
  state: z
    .looseObject({
      waiting: waiting.optional(),
      running: z.unknown().optional(),
      terminated: ended.optional(),
    })
    .optional(),
  lastState: z.looseObject({ terminated: ended.optional() }).optional(),
})

const PodStatus = z.looseObject({
  phase: z.string().default('Unknown'),
  reason: z.string().optional(),
  message: z.string().optional(),
  conditions: z
    .array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        reason: z.string().optional(),
        message: z.string().optional(),
      }),
    )
    .optional(),
  containerStatuses: z.array(ContainerStatus).optional(),
})

export type ContainerFacts = {
  name: string
  ready: boolean
  running: boolean
  restarts: number
  /** Why it waits (`CrashLoopBackOff`, `ErrImagePull`); null where it does not. */
  waiting: { reason: string; message: string } | null
  /** How it ended last; null where it never did. */
  ended: { reason: string; exitCode: number; message: string } | null
}

/** What matters of a pod, in one flat value. */
export type PodFacts = {
  name: string
  uid: string
  phase: string
  node: string | null
  /** The scheduler's own reason; null once it has a node. */
  unschedulable: string | null
  ready: boolean
  deleting: boolean
  /** `Evicted`, `NodeLost`, with the node's words; null where the pod itself did not fail. */
  failed: { reason: string; message: string } | null
  containers: ContainerFacts[]
}

export function podFacts(pod: KubeObject): PodFacts {
  const status = PodStatus.parse(pod.status ?? {})
  const condition = (type: string) => status.conditions?.find((one) => one.type === type)
  const scheduled = condition('PodScheduled')
  const spec = (pod.spec ?? {}) as { nodeName?: string }
  return {
    name: pod.metadata.name ?? '',
    uid: pod.metadata.uid ?? '',
    phase: status.phase,
    node: spec.nodeName ?? null,
    unschedulable:
      scheduled?.status === 'False' ? (scheduled.message ?? scheduled.reason ?? 'no reason given') : null,
    ready: condition('Ready')?.status === 'True',
    deleting: Boolean(pod.metadata.deletionTimestamp),
    failed:
      status.phase === 'Failed' && status.reason !== undefined
        ? { reason: status.reason, message: status.message ?? '' }
        : null,
    containers: (status.containerStatuses ?? []).map(containerFacts),
  }
}

function containerFacts(status: z.infer<typeof ContainerStatus>): ContainerFacts {
  const { name, ready, restartCount, state } = status
  const last = state?.terminated ?? status.lastState?.terminated
  return {
    name,
    ready,
    running: state?.running !== undefined,
    restarts: restartCount,
    waiting: state?.waiting
      ? { reason: state.waiting.reason ?? 'Waiting', message: state.waiting.message ?? '' }
      : null,
    ended: last
      ? { reason: last.reason ?? 'Ended', exitCode: last.exitCode, message: last.message ?? '' }
      : null,
  }
}

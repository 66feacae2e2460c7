import { z } from 'zod'
import type { KubeClient } from '../client.ts'

const Terminated = z.looseObject({
  containerID: z.string().optional(),
  exitCode: z.number().optional(),
  reason: z.string().optional(),
})
const ContainerStatus = z.looseObject({
  name: z.string(),
  containerID: z.string().optional(),
  restartCount: z.number().default(0),
  state: z
    .looseObject({
      running: z.looseObject({}).optional(),
      waiting: z.looseObject({ reason: z.string().optional(), message: z.string().optional() }).optional(),
      terminated: Terminated.optional(),
    })
    .default({}),
  lastState: z.looseObject({ terminated: Terminated.optional() }).default({}),
})
const Pod = z.looseObject({
  metadata: z.looseObject({ name: z.string(), uid: z.string(), deletionTimestamp: z.string().optional() }),
  spec: z.looseObject({
    containers: z.array(z.looseObject({ name: z.string() })),
    initContainers: z.array(z.looseObject({ name: z.string() })).optional(),
  }),
  status: z.looseObject({
    phase: z.string().optional(),
    containerStatuses: z.array(ContainerStatus).optional(),
    initContainerStatuses: z.array(ContainerStatus).optional(),
  }),
})

export type ContainerState = {
  name: string
  /** Of the container that runs or ran last; null before the first. */
  id: string | null
  restarts: number
  phase: 'waiting' | 'running' | 'terminated'
  /** `CrashLoopBackOff: back-off 10s`, `Error, exit code 1`. */
  detail: string
  /** The one before it, where the node still has its log. */
  previous: { id: string | null; detail: string } | null
}

export type PodState = { name: string; uid: string; containers: ContainerState[] }

const Pods = z.looseObject({ items: z.array(Pod) })

/** The pods of a selection with their containers, init containers first. */
export async function listPods(client: KubeClient, namespace: string, selector: string): Promise<PodState[]> {
  const query = selector.startsWith('metadata.') ? { fieldSelector: selector } : { labelSelector: selector }
  const found = Pods.parse(await client.json(`/api/v1/namespaces/${namespace}/pods`, { query }))
  return found.items.map(stateOf)
}

/** One pod; null where it is not there (any more), or another has its name. A list of one, so that no further right is needed. */
export async function readPod(
  client: KubeClient,
  namespace: string,
  pod: { name: string; uid: string },
): Promise<PodState | null> {
  const found = await listPods(client, namespace, `metadata.name=${pod.name}`)
  return found.find(({ uid }) => uid === pod.uid) ?? null
}

function stateOf({ metadata, spec, status }: z.infer<typeof Pod>): PodState {
  const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  const names = [...(spec.initContainers ?? []), ...spec.containers].map(({ name }) => name)
  const containers = names.map((name) =>
    containerState(
      name,
      statuses.find((item) => item.name === name),
    ),
  )
  return { name: metadata.name, uid: metadata.uid, containers }
}

function containerState(name: string, status: z.infer<typeof ContainerStatus> | undefined): ContainerState {
  if (!status)
    return { name, id: null, restarts: 0, phase: 'waiting', detail: 'not started yet', previous: null }
  const { running, waiting, terminated } = status.state
  const last = status.lastState.terminated
  return {
    name,
    id: status.containerID || null,
    restarts: status.restartCount,
    phase: running ? 'running' : terminated ? 'terminated' : 'waiting',
    detail: terminated
      ? exitText(terminated)
      : [waiting?.reason, waiting?.message].filter(Boolean).join(': '),
    previous: last ? { id: last.containerID ?? null, detail: exitText(last) } : null,
  }
}

const exitText = ({ reason, exitCode }: z.infer<typeof Terminated>) =>
  [reason, exitCode === undefined ? undefined : `exit code ${exitCode}`].filter(Boolean).join(', ')

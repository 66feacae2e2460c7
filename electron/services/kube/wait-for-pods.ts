import { z } from 'zod'
import { AppError, type ErrorCode } from '#shared/base/errors.ts'
import type { ClusterPlacement } from '#shared/domain/placement.ts'
import { selectorOf } from '#shared/kube/names.ts'
import type { PodFacts } from '#shared/kube/pod-facts.ts'
import { type Attendance, whyNot } from './attendance.ts'
import type { KubeClient } from './client.ts'
import { listObjects, pathOf } from './kinds.ts'
import { labelSelector } from './plan.ts'

/** An image may have to be pulled, and a workspace compiled; a pod that says nothing wrong is waited for this long. */
const limitMs = 10 * 60_000
/** The scheduler looks again by itself, as when an autoscaler adds a node. */
const nodeMs = 60_000
/** Pods are made within a moment, or not at all. */
const firstPodMs = 3_000

type Wait = {
  client: KubeClient
  attendance: Attendance
  namespace: string
  placement: ClusterPlacement
  run: string
}

/**
 * Waits until every replica is ready. What cannot become ready by waiting is told at once, with what the container said last.
 * @throws {AppError} `git_failed` for a commit that its remote lacks, `unreachable` for an image or a node that is not to be had, `timed_out`.
 */
export async function waitForPods({ client, attendance, namespace, placement, run }: Wait): Promise<void> {
  const began = Date.now()
  let last = 'no pod was made yet'
  while (Date.now() - began < limitMs) {
    const pods = attendance.facts.filter((pod) => !pod.deleting && !pod.failed)
    if (pods.filter((pod) => pod.ready).length >= wanted(placement)) return
    if (pods.length === 0 && Date.now() - began > firstPodMs) await refuseWithoutPods(client, namespace, run)
    for (const pod of pods)
      await refuseHopeless({ client, namespace, placement, pod, ms: Date.now() - began })
    last =
      pods
        .flatMap((pod) => whyNot(pod) ?? (pod.ready ? [] : [`pod ${pod.name} is not ready yet`]))
        .join('; ') || last
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new AppError('timed_out', `The verifier in ${namespace} did not become ready: ${last}.`)
}

/** A shared one has as many as it has; one that answers is enough. */
const wanted = ({ from, replicas }: ClusterPlacement) => (from.kind === 'shared' ? 1 : replicas)

/** What git says of a commit that is not where it was asked for. */
const noSuchCommit =
  /unable to read tree|not our ref|couldn't find remote ref|bad object|reference is not a tree|no such commit|not found in/i

const Conditions = z.looseObject({
  conditions: z
    .array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().optional() }))
    .optional(),
})

/** A quota or a policy lets no pod be made at all: only the set that wants to make them says so. */
async function refuseWithoutPods(client: KubeClient, namespace: string, run: string): Promise<void> {
  const { items } = await listObjects(client, 'ReplicaSet', namespace, {
    labels: labelSelector(selectorOf(run)),
  })
  for (const { status } of items) {
    const { conditions = [] } = Conditions.parse(status ?? {})
    const refused = conditions.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')
    if (refused) throw failed('kube_forbidden', `No pod may be made: ${refused.message ?? 'no reason given'}`)
  }
}

type Look = { client: KubeClient; namespace: string; placement: ClusterPlacement; pod: PodFacts; ms: number }

async function refuseHopeless({ client, namespace, placement, pod, ms }: Look): Promise<void> {
  if (pod.unschedulable !== null && ms > nodeMs)
    throw failed('unreachable', `Pod ${pod.name} finds no node: ${pod.unschedulable}`)
  for (const container of pod.containers) {
    const { waiting, running, ended, restarts } = container
    if (waiting && /^(ErrImageNeverPull|InvalidImageName|ImagePullBackOff)$/.test(waiting.reason))
      throw failed(
        'unreachable',
        `The image of container ${container.name} is not to be had: ${waiting.reason} ${waiting.message}`,
      )
    const fell = waiting !== null || (ended !== null && !running)
    if (!fell || (restarts === 0 && ended === null)) continue
    const said = await lastWords(client, namespace, pod.name, container.name)
    if (noSuchCommit.test(said))
      throw failed(
        'git_failed',
        `Commit ${placement.commit} is not in the remote that the verifier is configured with: ${said}`,
      )
    // What else ends once may come up the next time; a remote that is not there yet, say.
    if (restarts >= 2)
      throw failed(
        'unresolved',
        `Container ${container.name} ends again and again: ${said || waiting?.message || 'it said nothing'}`,
      )
  }
}

async function lastWords(
  client: KubeClient,
  namespace: string,
  pod: string,
  container: string,
): Promise<string> {
  const path = `${pathOf('Pod', namespace, pod)}/log`
  const query = { container, tailLines: 5, limitBytes: 4_000 }
  const now = await client.text(path, { query }).catch(() => '')
  const before = await client.text(path, { query: { ...query, previous: true } }).catch(() => '')
  const text = now.trim() === '' ? before : now
  return text.trim().split('\n').filter(Boolean).slice(-3).join(' / ')
}

const failed = (code: ErrorCode, text: string) => new AppError(code, `${text.trim().replace(/\.$/, '')}.`)

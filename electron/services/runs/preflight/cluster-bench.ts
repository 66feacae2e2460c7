import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { toAppError } from '#shared/base/errors.ts'
import type { ClusterVerifierDraft } from '#shared/domain/placement.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'
import { isOverNetwork } from '#shared/kube/derive.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import { type Amounts, type NodeRoom, placesFor, roomOn } from '#shared/kube/room.ts'
import { lacking, reviewAccess } from '../../kube/access.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clusters } from '../../kube/clusters.ts'
import { listObjects, readObject } from '../../kube/kinds.ts'
import { namedOf } from '../../kube/object-leases.ts'
import { checkSelectors, planVerifier, previewRun, type VerifierPlan } from '../../kube/plan.ts'
import { type Check, type Finding, failed, passed, warned } from './checks.ts'

/** What a verifier in a cluster must have besides; nothing where it is on this machine. */
export function clusterChecks(clusters: Clusters, { verifier, workers }: LaunchDraft): Check[] {
  if (verifier.kind === 'local') return []
  const bench = new ClusterBench(clusters, verifier, workers)
  return [
    { check: 'cluster', label: 'Cluster is reached and may be changed', look: () => bench.reach() },
    { check: 'cluster_access', label: 'Rights in the namespace', look: () => bench.access() },
    {
      check: 'cluster_verifier',
      label: 'A verifier of the run’s own can be made',
      look: () => bench.derive(),
    },
    { check: 'cluster_names', label: 'Its names meet no other', look: () => bench.names() },
    { check: 'cluster_commit', label: 'Pinned commit is in the remote', look: () => bench.commit() },
    { check: 'cluster_room', label: 'Room for disk and CPU', look: () => bench.room() },
    { check: 'cluster_image', label: 'Image is there', look: () => bench.image() },
  ]
}

const notReached = () => failed('the cluster was not reached', 'Make it reachable first.')

/** What a verifier in a cluster needs, looked at before anything is created there. */
class ClusterBench {
  private readonly clusters: Clusters
  private readonly draft: ClusterVerifierDraft
  private readonly workers: number
  private client: KubeClient | null = null
  private plan: VerifierPlan | null = null

  constructor(clusters: Clusters, draft: ClusterVerifierDraft, workers: number) {
    this.clusters = clusters
    this.draft = draft
    this.workers = workers
  }

  async reach(): Promise<Finding> {
    const { context, namespace } = this.draft
    const client = await this.clusters.client(context)
    const pin = await this.clusters.pin(context, namespace)
    this.client = client
    this.clusters.requireWritable(client.identity)
    return passed(`${pin.server}, namespace ${namespace} (UID ${pin.namespaceUid})`)
  }

  async access(): Promise<Finding> {
    if (!this.client) return notReached()
    const wanted = [
      'look',
      'watch',
      'reach',
      ...(this.draft.from.kind === 'shared' ? ['hold'] : ['create', 'remove']),
    ]
    const rows = await reviewAccess(this.client, this.draft.namespace)
    const missing = lacking(rows, wanted)
    if (missing.length === 0)
      return passed(`all of ${rows.filter((row) => wanted.includes(row.action)).length} rights`)
    return failed(`may not ${missing.join(', ')}`, `Ask for these rights in ${this.draft.namespace}.`)
  }

  async derive(): Promise<Finding> {
    if (!this.client) return notReached()
    const { namespace } = this.draft
    this.plan = await planVerifier(this.client, this.draft, {
      run: previewRun,
      namespace,
      workers: this.workers,
    })
    const { derived, objects } = this.plan
    if (!derived)
      return warned('the shared verifier itself: whoever changes it changes this run', 'Copy it instead.')
    const warnings = derived.notes.filter((note) => note.level === 'warning')
    const detail = `${objects.length} objects after ${this.plan.origin.deployment.metadata.name}`
    if (warnings.length === 0) return passed(detail)
    const said = warnings.map((note) => `${note.path} ${note.text}`).join('; ')
    return warned(`${detail}; ${said}`, 'Look at the difference in Clusters.')
  }

  async names(): Promise<Finding> {
    if (!this.client || !this.plan) return notReached()
    const { client, plan, draft } = this
    checkSelectors((await listObjects(client, 'Service', draft.namespace)).items, previewRun)
    const pin = await this.clusters.pin(draft.context, draft.namespace)
    for (const object of plan.objects) {
      const named = namedOf(object, pin)
      if (!(await readObject(client, named))) continue
      const held = plan.derived === null
      const why = held
        ? 'another run uses the shared verifier'
        : `there is a ${named.kind} ${named.name} already`
      return failed(
        why,
        held ? 'Wait for that run, or copy the verifier.' : 'Remove it, or wait until it is gone.',
      )
    }
    return passed('no name and no selector meets another')
  }

  /** Of a fault that was copied nobody hears until the pod ends again and again. */
  async commit(): Promise<Finding> {
    if (!this.plan) return notReached()
    const { commit } = this.draft
    const remote = this.plan.derived?.remote ?? null
    if (commit === null)
      return warned('no commit is pinned: the image alone says what is graded', 'Name a commit.')
    if (remote === null) return passed(`${commit.slice(0, 12)}, compared with what the image itself says`)
    if (!isOverNetwork(remote))
      return warned(
        `${remote} lies in the pod, so only the pod can look`,
        'A commit that is missing there ends the launch with that reason.',
      )
    return askRemote(remote, commit)
  }

  async room(): Promise<Finding> {
    if (!this.client || !this.plan?.derived) return passed('nothing is added')
    const { cpuRequest, memoryRequest, diskRequest } = this.draft.resources
    const wanted = { cpu: cpuRequest, memory: memoryRequest, 'ephemeral-storage': diskRequest }
    const { replicas } = this.draft
    let rooms: NodeRoom[]
    try {
      rooms = await roomsOf(this.client)
    } catch (failure) {
      const { message } = toAppError(failure)
      return warned(`cannot be told: ${message}`, 'The scheduler will say, if there is none.')
    }
    const { placed, short } = placesFor(rooms, wanted, replicas)
    if (!short && placed === replicas) return passed(`${replicas} pod(s) fit on ${rooms.length} node(s)`)
    const lack = short
      ? `: on ${short.node} ${figure(short.kind, short.free)} is left, ${figure(short.kind, short.wanted)} is asked for`
      : ''
    return failed(`${placed} of ${replicas} pod(s) find a node${lack}`, 'Ask for less, or make room.')
  }

  async image(): Promise<Finding> {
    if (!this.client || !this.plan) return notReached()
    const container = this.plan.origin.deployment.spec.template.spec.containers[0]
    const image = container?.image ?? ''
    const digest = container ? this.plan.origin.digests[container.name] : undefined
    const nodes = await listObjects(this.client, 'Node', null).catch(() => null)
    const there = nodes?.items.some((node) => imagesOf(node).some((name) => isImage(name, image)))
    if (digest !== undefined) return passed(digest)
    if (there) return passed(`${image}, on a node already`)
    if (container?.imagePullPolicy === 'Never')
      return failed(
        `${image} is on no node and is not to be pulled`,
        'Load it on the nodes, or let it be pulled.',
      )
    return warned(
      `${image} is on no node yet; it has to be pulled`,
      'Name it by digest to be sure which it is.',
    )
  }
}

const Status = z.looseObject({
  allocatable: z.record(z.string(), z.string()).default({}),
  images: z.array(z.looseObject({ names: z.array(z.string()).nullish() })).nullish(),
})
const PodUse = z.looseObject({
  spec: z.looseObject({
    nodeName: z.string().optional(),
    containers: z.array(
      z.looseObject({
        resources: z.looseObject({ requests: z.record(z.string(), z.string()).optional() }).optional(),
      }),
    ),
  }),
  status: z.looseObject({ phase: z.string().optional() }).optional(),
})

const imagesOf = (node: KubeObject) =>
  (Status.parse(node.status ?? {}).images ?? []).flatMap((image) => image.names ?? [])

/** Nodes know an image by its full name; people leave the registry of Docker out. */
const isImage = (name: string, image: string) =>
  [image, `docker.io/${image}`, `docker.io/library/${image}`].includes(name)

async function roomsOf(client: KubeClient): Promise<NodeRoom[]> {
  const nodes = await listObjects(client, 'Node', null)
  const pods = (await listObjects(client, 'Pod', null)).items.map((pod) => PodUse.parse(pod))
  const counted = pods.filter((pod) => !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''))
  return nodes.items.map((node) => {
    const name = node.metadata.name ?? ''
    const on = counted.filter((pod) => pod.spec.nodeName === name)
    const requests = on.flatMap((pod) =>
      pod.spec.containers.map((one): Amounts => one.resources?.requests ?? {}),
    )
    const schedulable = (node.spec as { unschedulable?: boolean } | undefined)?.unschedulable !== true
    return roomOn({ name, schedulable, allocatable: Status.parse(node.status ?? {}).allocatable }, requests)
  })
}

const figure = (kind: string, amount: number) =>
  kind === 'cpu' ? `${amount.toFixed(2)} cores` : `${(amount / 2 ** 30).toFixed(1)} GiB of ${kind}`

const run = promisify(execFile)
const remoteMs = 30_000

/** Fetches that one commit into nothing: a branch that has it is not enough, and none need name it. */
async function askRemote(remote: string, commit: string): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'ringside-commit-'))
  const git = (...args: string[]) =>
    run('git', ['-C', folder, ...args], {
      timeout: remoteMs,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    })
  try {
    await git('init', '--quiet', '--bare')
    await git('fetch', '--quiet', '--depth=1', '--no-tags', '--filter=blob:none', remote, commit)
    return passed(`${remote} has ${commit.slice(0, 12)}`)
  } catch (failure) {
    const said =
      String((failure as { stderr?: unknown }).stderr ?? failure)
        .trim()
        .split('\n')[0] ?? ''
    if (/not our ref|unable to read tree|couldn't find remote ref|no such remote ref|bad object/i.test(said))
      return failed(`${remote} has no commit ${commit}`, 'Push it there, or name one that it has.')
    return warned(`${remote} could not be asked from here: ${said}`, 'The pod itself will say.')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError, toAppError } from '#shared/base/errors.ts'
import { type ClusterIdentity, type ClusterPin, clusterKey } from '#shared/domain/cluster.ts'
import type { ContextView } from '#shared/ipc/clusters.ts'
import { writeAtomic } from '../box/atomic-write.ts'
import { KubeClient } from './client.ts'
import { identityOf, type Kubeconfig, loadKubeconfig, targetOf, targetOfPin } from './kubeconfig.ts'

const Saved = z.object({
  v: z.literal(1),
  clusters: z.record(z.string(), z.object({ colour: z.number().int(), writable: z.boolean() })),
})
type Known = z.infer<typeof Saved>['clusters'][string]

/** As many as the window has hues for clusters; more clusters share them. */
const colours = 6

/** The clusters that this machine's kubeconfigs lead to. Each has a colour, and is read-only until a person switches that off. */
export class Clusters {
  private readonly file: string
  private readonly env: NodeJS.ProcessEnv
  private known: Record<string, Known>
  private readonly clients = new Map<string, Promise<KubeClient>>()
  private readonly checked = new Map<string, Promise<void>>()

  private constructor(file: string, env: NodeJS.ProcessEnv, known: Record<string, Known>) {
    this.file = file
    this.env = env
    this.known = known
  }

  static async open(file: string, env: NodeJS.ProcessEnv): Promise<Clusters> {
    const text = await readFile(file, 'utf8').catch(() => null)
    const parsed = text === null ? null : Saved.safeParse(JSON.parse(text))
    return new Clusters(file, env, parsed?.success ? parsed.data.clusters : {})
  }

  /** Every context of every file, without asking any server. */
  async list(): Promise<{ contexts: ContextView[]; files: string[]; problems: string[] }> {
    const config = await loadKubeconfig(this.env)
    const contexts: ContextView[] = []
    for (const { name } of config.contexts) contexts.push(await this.view(config, name))
    return { contexts, files: config.files, problems: config.problems }
  }

  private async view(config: Kubeconfig, name: string): Promise<ContextView> {
    const base = { context: name, current: config.current === name }
    try {
      const target = targetOf(config, name)
      const identity = await identityOf(target)
      const { colour, writable } = await this.remember(identity)
      const { namespace } = target
      return { ...base, ...identity, key: clusterKey(identity), namespace, colour, writable, problem: null }
    } catch (failure) {
      return {
        ...base,
        server: null,
        caSha256: null,
        key: null,
        namespace: null,
        colour: null,
        writable: false,
        problem: toAppError(failure).message,
      }
    }
  }

  /** @throws {AppError} `not_found`, `bad_kubeconfig`. */
  async client(context: string): Promise<KubeClient> {
    const target = targetOf(await loadKubeconfig(this.env), context)
    const identity = await identityOf(target)
    // Not by the context alone: a file may be rewritten to lead elsewhere, or to log in as somebody else.
    const key = JSON.stringify([context, identity, target.user?.value ?? null])
    const made = this.clients.get(key) ?? Promise.resolve(new KubeClient(target, identity, this.env))
    this.clients.set(key, made)
    return made
  }

  /**
   * The cluster that a run was pinned to, whatever its context is called by now, with its namespace still the same one.
   * @throws {AppError} `cluster_changed` where no context leads there, or where the namespace was made anew.
   */
  async pinned(pin: ClusterPin): Promise<KubeClient> {
    const target = await targetOfPin(await loadKubeconfig(this.env), pin)
    const client = await this.client(target.context)
    const key = JSON.stringify([pin.server, pin.caSha256, pin.namespace, pin.namespaceUid])
    const check = this.checked.get(key) ?? this.checkNamespace(client, pin)
    this.checked.set(key, check)
    check.catch(() => this.checked.delete(key))
    await check
    return client
  }

  async pin(context: string, namespace: string): Promise<ClusterPin> {
    const client = await this.client(context)
    const { server, caSha256 } = client.identity
    return { context, server, caSha256, namespace, namespaceUid: await namespaceUid(client, namespace) }
  }

  async setWritable(key: string, writable: boolean): Promise<void> {
    const known = this.known[key]
    if (!known) throw new AppError('not_found', `No context leads to a cluster ${key}.`)
    await this.save({ ...this.known, [key]: { ...known, writable } })
  }

  /** To be asked before anything is changed there. @throws {AppError} `cluster_read_only`. */
  requireWritable(identity: ClusterIdentity): void {
    if (this.known[clusterKey(identity)]?.writable) return
    throw new AppError('cluster_read_only', `${identity.server} is read-only in this console.`)
  }

  private async checkNamespace(client: KubeClient, pin: ClusterPin): Promise<void> {
    const uid = await namespaceUid(client, pin.namespace)
    if (uid === pin.namespaceUid) return
    throw new AppError(
      'cluster_changed',
      `Namespace ${pin.namespace} at ${pin.server} is another one than the run was pinned to (${uid}, not ${pin.namespaceUid}).`,
    )
  }

  private async remember(identity: ClusterIdentity): Promise<Known> {
    const key = clusterKey(identity)
    const known = this.known[key]
    if (known) return known
    const made = { colour: Object.keys(this.known).length % colours, writable: false }
    await this.save({ ...this.known, [key]: made })
    return made
  }

  private async save(known: Record<string, Known>): Promise<void> {
    this.known = known
    await writeAtomic(this.file, `${JSON.stringify({ v: 1, clusters: known }, null, 2)}\n`)
  }
}

const Namespace = z.object({ metadata: z.object({ uid: z.string() }) })

/** @throws {AppError} `kube_not_found`, `kube_forbidden`: then it can be pinned to nothing. */
export async function namespaceUid(client: KubeClient, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`
  return Namespace.parse(await client.json(path)).metadata.uid
}

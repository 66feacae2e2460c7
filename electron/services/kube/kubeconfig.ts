import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { ClusterIdentity } from '#shared/domain/cluster.ts'
import {
  type Entry,
  fromFile,
  type KubeCluster,
  type KubeContext,
  type KubeFile,
  type KubeUser,
  readKubeFile,
} from './kubeconfig-file.ts'

/** A context with the cluster and user that it names. */
export type KubeTarget = {
  context: string
  namespace: string
  cluster: Entry<KubeCluster>
  /** Null where the context names none: then nobody is said to ask. */
  user: Entry<KubeUser> | null
}

export type Kubeconfig = {
  files: string[]
  contexts: Entry<KubeContext>[]
  clusters: Map<string, Entry<KubeCluster>>
  users: Map<string, Entry<KubeUser>>
  current: string | null
  /** What could not be read, one line each. */
  problems: string[]
}

/** The files that kubectl would read, in its order. */
export function kubeconfigFiles(env: NodeJS.ProcessEnv): string[] {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '')
  return listed.length > 0 ? [...new Set(listed)] : [join(env.HOME || homedir(), '.kube', 'config')]
}

/** As kubectl merges: of two entries of one name the first wins, whole; the first current context that is said counts. */
export async function loadKubeconfig(env: NodeJS.ProcessEnv): Promise<Kubeconfig> {
  const files = kubeconfigFiles(env)
  const read = (await Promise.all(files.map(readKubeFile))).filter((file) => file !== null)
  const first = <T>(of: (file: KubeFile) => Entry<T>[]): Map<string, Entry<T>> => {
    const merged = new Map<string, Entry<T>>()
    for (const entry of read.flatMap(of)) if (!merged.has(entry.name)) merged.set(entry.name, entry)
    return merged
  }
  return {
    files,
    contexts: [...first((file) => file.contexts).values()],
    clusters: first((file) => file.clusters),
    users: first((file) => file.users),
    current: read.find((file) => file.current !== null)?.current ?? null,
    problems: read.flatMap((file) => file.problems),
  }
}

/** @throws {AppError} `not_found` for a context that no file has, `bad_kubeconfig` for one that names a cluster or user that none has. */
export function targetOf(config: Kubeconfig, context: string): KubeTarget {
  const found = config.contexts.find((entry) => entry.name === context)
  if (!found) {
    const names = config.contexts.map((entry) => entry.name).join(', ')
    throw new AppError('not_found', `No kubeconfig has a context ${context}; there is ${names || 'none'}.`)
  }
  const cluster = config.clusters.get(found.value.cluster)
  if (!cluster)
    throw new AppError(
      'bad_kubeconfig',
      `Context ${context} in ${found.file} names cluster ${found.value.cluster}, which is in no file.`,
    )
  const user = config.users.get(found.value.user) ?? null
  if (!user && found.value.user !== '')
    throw new AppError(
      'bad_kubeconfig',
      `Context ${context} in ${found.file} names user ${found.value.user}, which is in no file.`,
    )
  return { context, namespace: found.value.namespace ?? 'default', cluster, user }
}

/** @throws {AppError} `bad_kubeconfig` where the authority's file cannot be read. */
export async function identityOf({ cluster }: KubeTarget): Promise<ClusterIdentity> {
  const pem = await authorityOf(cluster)
  const server = cluster.value.server.replace(/\/+$/, '')
  // White space at the ends differs between a file and the same bytes in base64; it means nothing.
  return { server, caSha256: pem === null ? null : createHash('sha256').update(pem.trim()).digest('hex') }
}

/** PEM of the cluster's certificate authority; null where the system's own are trusted. Inline data wins, as with kubectl. */
export async function authorityOf({ value, folder, name }: Entry<KubeCluster>): Promise<string | null> {
  const data = value['certificate-authority-data']
  if (data !== null) return Buffer.from(data, 'base64').toString('utf8')
  const path = value['certificate-authority']
  return path === null ? null : readNamed(fromFile(folder, path), `the authority of cluster ${name}`)
}

/** @throws {AppError} `bad_kubeconfig`, naming what the file was for. */
export async function readNamed(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new AppError('bad_kubeconfig', `${path}, ${what}, cannot be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
}

/**
 * The context that leads to a pinned cluster, by the name it was chosen by where that still leads there, else by any other.
 * @throws {AppError} `cluster_changed` where none does.
 */
export async function targetOfPin(
  config: Kubeconfig,
  pin: ClusterIdentity & { context: string },
): Promise<KubeTarget> {
  const names = config.contexts.map((entry) => entry.name)
  for (const name of [pin.context, ...names.filter((other) => other !== pin.context)]) {
    if (!names.includes(name)) continue
    const target = await reachable(config, name)
    if (target === null) continue
    const { server, caSha256 } = await identityOf(target)
    if (server === pin.server && caSha256 === pin.caSha256) return target
  }
  throw new AppError(
    'cluster_changed',
    `No context leads to ${pin.server} with the authority it had when it was pinned.`,
  )
}

async function reachable(config: Kubeconfig, name: string): Promise<KubeTarget | null> {
  try {
    const target = targetOf(config, name)
    await identityOf(target)
    return target
  } catch {
    // A context that is itself broken leads nowhere.
    return null
  }
}

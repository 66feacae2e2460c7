import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Lease } from '#shared/domain/lease.ts'
import { runLabel, selectorOf } from '#shared/kube/names.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import { waitUntil } from '../box/process-identity.ts'
import type { Released, RemoteLeases } from '../leases/release.ts'
import type { KubeClient } from './client.ts'
import type { Clusters } from './clusters.ts'
import { deleteObject, listObjects, readObject } from './kinds.ts'
import { type LeasedObject, leasedObject } from './object-leases.ts'

/**
 * Deleting in the foreground ends pods first; a pod may use its grace. A kubelet that missed a container's end (one deleted as it started) looks
 * again after its `syncFrequency` of a minute, stretched by up to half.
 */
const goneMs = 180_000

/** Objects in clusters, given back by name and UID in the cluster that they were made in, and looked for afterwards. */
export class ClusterLeases implements RemoteLeases {
  private readonly clusters: Clusters

  constructor(clusters: Clusters) {
    this.clusters = clusters
  }

  async look(lease: Lease): Promise<string> {
    const leased = leasedObject(lease)
    const client = await this.clusters.pinned(leased.pin)
    const found = await readObject(client, leased.named)
    if (!found) return `it is not there (${where(leased)})`
    if (!isMeant(found, leased, lease.run)) return `another ${found.kind} has its name; that one stays`
    return `it is there: UID ${found.metadata.uid}, ${where(leased)}`
  }

  async release(lease: Lease): Promise<Released> {
    const leased = leasedObject(lease)
    let client: KubeClient
    try {
      client = await this.clusters.pinned(leased.pin)
    } catch (failure) {
      const namespaceGone = failure instanceof AppError && failure.code === 'kube_not_found'
      if (namespaceGone) return { gone: true, proof: `namespace ${leased.pin.namespace} is gone` }
      throw failure
    }
    const found = await readObject(client, leased.named)
    if (!found) return { gone: true, proof: absent(leased) }
    if (!isMeant(found, leased, lease.run))
      return { gone: true, proof: `${absent(leased)} with that UID; another has its name and stays` }
    this.clusters.requireWritable(client.identity)
    return removeAndWait(client, leased, found, lease.run)
  }
}

/** Ends one object and waits until neither it nor a pod of it is there. */
export async function removeAndWait(
  client: KubeClient,
  leased: LeasedObject,
  found: KubeObject,
  run: string | null,
): Promise<Released> {
  const uid = found.metadata.uid ?? ''
  try {
    await deleteObject(client, { ...leased.named, uid })
  } catch (failure) {
    // Another UID by now: the one that was meant is gone.
    if (!(failure instanceof AppError) || failure.code !== 'kube_conflict') throw failure
  }
  const pods = leased.named.kind === 'Deployment' && run !== null
  let left = ''
  const gone = await waitUntil(async () => {
    try {
      left = await whatIsLeft(client, leased, uid, pods ? run : null)
    } catch (failure) {
      left = toAppError(failure).message
    }
    return left === ''
  }, goneMs)
  return gone ? { gone: true, proof: `${absent(leased)} (was UID ${uid})` } : { gone: false, why: left }
}

async function whatIsLeft(
  client: KubeClient,
  { named }: LeasedObject,
  uid: string,
  run: string | null,
): Promise<string> {
  const still = await readObject(client, named)
  if (still?.metadata.uid === uid) return `${named.kind} ${named.name} is still there${finalizers(still)}`
  if (run === null) return ''
  const [label, value] = Object.entries(selectorOf(run))[0] ?? []
  const { items } = await listObjects(client, 'Pod', named.namespace, { labels: `${label}=${value}` })
  const names = items.map((pod) => pod.metadata.name)
  return names.length === 0 ? '' : `pod ${names.join(', ')} is still ending`
}

function finalizers({ metadata }: KubeObject): string {
  const { finalizers: held } = metadata as { finalizers?: string[] }
  return held?.length ? `, held by finalizer ${held.join(', ')}` : ''
}

/** By UID where it is known, else (a crash between creation and its record) by the run's label. */
function isMeant(found: KubeObject, { uid }: LeasedObject, run: string | null): boolean {
  if (uid !== null) return found.metadata.uid === uid
  return run !== null && found.metadata.labels?.[runLabel] === run
}

const where = ({ pin, named }: LeasedObject) => `${named.namespace} at ${pin.server}, context ${pin.context}`
const absent = (leased: LeasedObject) => `no ${leased.named.kind} ${leased.named.name} in ${where(leased)}`

import { z } from 'zod'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Lease, TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import type { OurObject } from '#shared/ipc/clusters.ts'
import { ourSelector, runLabel } from '#shared/kube/names.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import type { KubeClient } from './client.ts'
import { removeAndWait } from './cluster-leases.ts'
import type { Clusters } from './clusters.ts'
import { type Kind, kindOf, listObjects, readObject } from './kinds.ts'
import { leasedObject, leaseKindOf, objectIdentity, objectLeaseId } from './object-leases.ts'

/** In the order in which they go; what owns comes before what it owns, which then goes with it. */
const swept: Kind[] = [
  'Deployment',
  'ReplicaSet',
  'Pod',
  'Service',
  'NetworkPolicy',
  'ConfigMap',
  'Secret',
  'Lease',
]

export type Found = { objects: KubeObject[]; problems: string[] }

/** Everything with our label, in one namespace or in every one that this user may list. What another of ours owns is not named itself. */
export async function findOurs(client: KubeClient, namespace: string | null): Promise<Found> {
  const found: Found = { objects: [], problems: [] }
  const namespaces = namespace === null ? await listable(client, found.problems) : [namespace]
  for (const kind of swept) {
    for (const within of namespaces) {
      try {
        found.objects.push(...(await listObjects(client, kind, within, { labels: ourSelector })).items)
      } catch (failure) {
        const { code, message } = toAppError(failure)
        if (code !== 'kube_forbidden') throw failure
        found.problems.push(message)
      }
    }
  }
  const uids = new Set(found.objects.map((object) => object.metadata.uid))
  const owned = (object: KubeObject) => ownersOf(object).some((uid) => uids.has(uid))
  return { ...found, objects: found.objects.filter((object) => !owned(object)) }
}

const Owners = z.array(z.looseObject({ uid: z.string() })).catch([])
const ownersOf = ({ metadata }: KubeObject) =>
  Owners.parse((metadata as { ownerReferences?: unknown }).ownerReferences ?? []).map((owner) => owner.uid)

/** `[null]` is all of them in one question, for who may ask that. */
async function listable(client: KubeClient, problems: string[]): Promise<(string | null)[]> {
  try {
    await client.json('/apis/apps/v1/deployments', { query: { limit: 1 } })
    return [null]
  } catch (failure) {
    if (!(failure instanceof AppError) || failure.code !== 'kube_forbidden') throw failure
  }
  try {
    const reply = Namespaces.parse(await client.json('/api/v1/namespaces'))
    return reply.items.map((item) => item.metadata.name)
  } catch (failure) {
    problems.push(toAppError(failure).message)
    return []
  }
}

const Namespaces = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) })

export function describeOurs(objects: KubeObject[], ledger: LeaseLedger): OurObject[] {
  const leased = new Set(
    ledger
      .all()
      .filter((lease) => lease.state !== 'released')
      .map((lease) => lease.identity.uid),
  )
  return objects.map(({ kind, metadata }) => ({
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    run: metadata.labels?.[runLabel] ?? null,
    createdAt: metadata.creationTimestamp ?? null,
    leased: leased.has(metadata.uid ?? ''),
  }))
}

export type SweepCluster = {
  clusters: Clusters
  ledger: LeaseLedger
  context: string
  namespace: string | null
  now: Date
  /** Ids of rows that may go; null only plans. */
  confirm: ((row: TeardownRow) => boolean) | null
}

/**
 * Lists what of ours is in a cluster, and removes of it what is confirmed, by UID. A lease of it that this console has is closed with it.
 * @throws {AppError} `cluster_read_only` where something is to be removed from a cluster that is not switched on.
 */
export async function sweepCluster(sweep: SweepCluster): Promise<TeardownReport & { problems: string[] }> {
  const { clusters, ledger, context, namespace, now, confirm } = sweep
  const client = await clusters.client(context)
  const { objects, problems } = await findOurs(client, namespace)
  const pins = new Map<string, Awaited<ReturnType<Clusters['pin']>>>()
  const rows: { row: TeardownRow; lease: Lease }[] = []
  for (const object of objects) {
    const within = object.metadata.namespace ?? ''
    const pin = pins.get(within) ?? (await clusters.pin(context, within))
    pins.set(within, pin)
    const lease = leaseOf(object, pin, now)
    rows.push({ lease, row: rowOf(lease, 'release', ageOf(object, now)) })
  }
  const report = { plan: rows.map(({ row }) => row), released: [], left: [], problems } as TeardownReport & {
    problems: string[]
  }
  if (confirm === null) return report
  for (const { row, lease } of rows) {
    if (!confirm(row)) {
      report.left.push({ ...row, action: 'keep', proof: 'not confirmed' })
      continue
    }
    clusters.requireWritable(client.identity)
    const released = await releaseFound(client, lease)
    if (released.gone) await closeLease(ledger, lease, released.proof)
    if (released.gone) report.released.push({ ...row, proof: released.proof })
    else report.left.push({ ...row, action: 'keep', proof: released.why })
  }
  return report
}

async function releaseFound(client: KubeClient, lease: Lease) {
  const leased = leasedObject(lease)
  try {
    const found = await readObject(client, leased.named)
    if (found?.metadata.uid !== leased.uid)
      return { gone: true as const, proof: `no object with UID ${leased.uid}` }
    return await removeAndWait(client, leased, found as KubeObject, lease.run)
  } catch (failure) {
    return { gone: false as const, why: toAppError(failure).message }
  }
}

async function closeLease(ledger: LeaseLedger, lease: Lease, proof: string): Promise<void> {
  const known = ledger.all().find((one) => one.id === lease.id && one.state !== 'released')
  if (known) await ledger.release(known.id, proof)
}

function leaseOf(object: KubeObject, pin: Awaited<ReturnType<Clusters['pin']>>, now: Date): Lease {
  const kind = kindOf(object)
  const { name = '', namespace = '', uid = '', labels } = object.metadata
  const run = labels?.[runLabel] ?? null
  return {
    id: objectLeaseId(run ?? 'unknown', { kind, name }),
    run,
    kind: leaseKindOf(kind),
    label: `${kind} ${name} in ${namespace} of ${pin.context}`,
    identity: { ...objectIdentity(pin, { kind, namespace, name }), uid },
    state: 'held',
    at: now.toISOString(),
    note: null,
  }
}

const rowOf = (lease: Lease, action: TeardownRow['action'], proof: string | null): TeardownRow => ({
  lease: lease.id,
  kind: lease.kind,
  label: lease.label,
  identity: lease.identity,
  action,
  proof,
})

function ageOf({ metadata }: KubeObject, now: Date): string {
  const run = metadata.labels?.[runLabel] ?? 'no run'
  const at = metadata.creationTimestamp
  if (!at) return `of ${run}`
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 60_000))
  const age = minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
  return `of ${run}, ${age} old`
}

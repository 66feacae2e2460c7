import { randomBytes } from 'node:crypto'
import { AppError } from '#shared/base/errors.ts'
import type { ClusterPin } from '#shared/domain/cluster.ts'
import { runLabel } from '#shared/kube/names.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import type { KubeClient } from './client.ts'
import { createObject, readObject } from './kinds.ts'
import { namedOf, objectIntent, objectLeaseId } from './object-leases.ts'

export type Creation = {
  client: KubeClient
  ledger: LeaseLedger
  pin: ClusterPin
  run: string
  objects: KubeObject[]
  /** Around each object: before it is asked for, when it is there but not yet in the ledger, and when it is. */
  onStep?: (at: 'before' | 'made' | 'held', object: KubeObject) => Promise<void> | void
}

/** Every object's lease, before any of them exists. */
export async function intendObjects({ ledger, pin, run, objects }: Creation): Promise<string[]> {
  const ids: string[] = []
  for (const object of objects) {
    const { id } = await ledger.intend(objectIntent(run, pin, object))
    ids.push(id)
  }
  return ids
}

/**
 * Creates a run's objects in order, each held with its UID as soon as it is there. May be called again after a crash or a lost answer: what is
 * there already with the run's label is taken as made.
 * @throws {AppError} `kube_conflict` where something else has the name, or what the cluster said.
 */
export async function createObjects(creation: Creation): Promise<void> {
  const { client, ledger, pin, run, objects, onStep } = creation
  for (const object of objects) {
    await onStep?.('before', object)
    const made = await createOne(client, pin, run, withToken(object))
    await onStep?.('made', object)
    await ledger.hold(objectLeaseId(run, namedOf(object, pin)), { uid: made.metadata.uid ?? '' })
    await onStep?.('held', object)
  }
}

async function createOne(
  client: KubeClient,
  pin: ClusterPin,
  run: string,
  object: KubeObject,
): Promise<KubeObject> {
  try {
    return await createObject(client, object)
  } catch (failure) {
    const lost = failure instanceof AppError && ['kube_conflict', 'unreachable'].includes(failure.code)
    if (!lost) throw failure
    const named = namedOf(object, pin)
    const found = await readObject(client, named)
    if (found && found.metadata.labels?.[runLabel] === run && !found.metadata.deletionTimestamp) return found
    if (!found) throw failure
    throw new AppError(
      'kube_conflict',
      `There is a ${named.kind} ${named.name} in ${named.namespace} already, and it is not this run’s.`,
    )
  }
}

/** The token exists only here and in the cluster; it is in no plan, diff, ledger or journal. */
function withToken(object: KubeObject): KubeObject {
  if (object.kind !== 'Secret') return object
  return { ...object, stringData: { token: randomBytes(32).toString('hex') } }
}

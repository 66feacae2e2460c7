import { AppError } from '#shared/base/errors.ts'
import type { ClusterPin } from '#shared/domain/cluster.ts'
import { ClusterPin as PinSchema } from '#shared/domain/cluster.ts'
import type { Lease } from '#shared/domain/lease.ts'
import type { KubeObject } from '#shared/kube/objects.ts'
import { isKind, type Kind, kindOf, type Named } from './kinds.ts'

const leaseKinds: Record<Kind, Lease['kind']> = {
  Deployment: 'deployment',
  ReplicaSet: 'deployment',
  Pod: 'pod',
  Service: 'service',
  Secret: 'secret',
  ConfigMap: 'config_map',
  NetworkPolicy: 'network_policy',
  Lease: 'hold',
  Node: 'pod',
}

export const leaseKindOf = (kind: Kind): Lease['kind'] => leaseKinds[kind]

export const objectLeaseId = (run: string, object: { kind: string; name: string }): string =>
  `${run}/kube/${object.kind}/${object.name}`

/** What a ledger line holds of an object before it exists: where it is to be, and under which name. */
export function objectIdentity(pin: ClusterPin, object: Named): Lease['identity'] {
  const { context, server, caSha256, namespaceUid } = pin
  return {
    cluster: context,
    server,
    caSha256: caSha256 ?? '',
    namespace: object.namespace,
    namespaceUid,
    object: object.kind,
    name: object.name,
  }
}

export function objectIntent(run: string, pin: ClusterPin, object: KubeObject) {
  const named = namedOf(object, pin)
  return {
    id: objectLeaseId(run, named),
    run,
    kind: leaseKindOf(named.kind),
    label: `${named.kind} ${named.name} in ${named.namespace} of ${pin.context}`,
    identity: objectIdentity(pin, named),
  }
}

export const namedOf = (object: KubeObject, pin: ClusterPin): Named => ({
  kind: kindOf(object),
  namespace: object.metadata.namespace ?? pin.namespace,
  name: object.metadata.name ?? '',
})

export type LeasedObject = { pin: ClusterPin; named: Named; uid: string | null }

/** @throws {AppError} `corrupt` for a line that names no object of a cluster. */
export function leasedObject({ id, identity }: Lease): LeasedObject {
  const { cluster, server, caSha256, namespace, namespaceUid, object, name, uid } = identity
  const pin = PinSchema.safeParse({
    context: cluster,
    server,
    caSha256: caSha256 || null,
    namespace,
    namespaceUid,
  })
  if (!pin.success || typeof object !== 'string' || !isKind(object) || typeof name !== 'string')
    throw new AppError('corrupt', `Lease ${id} does not say which object it means.`)
  return {
    pin: pin.data,
    named: { kind: object, namespace: pin.data.namespace, name },
    uid: typeof uid === 'string' && uid !== '' ? uid : null,
  }
}

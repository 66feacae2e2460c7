import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { KubeObject } from '#shared/kube/objects.ts'
import type { KubeClient } from './client.ts'

/** The kinds that we make, copy or look for, with where the API has them. */
const kinds = {
  Deployment: { api: 'apis/apps/v1', plural: 'deployments' },
  ReplicaSet: { api: 'apis/apps/v1', plural: 'replicasets' },
  Pod: { api: 'api/v1', plural: 'pods' },
  Service: { api: 'api/v1', plural: 'services' },
  Secret: { api: 'api/v1', plural: 'secrets' },
  ConfigMap: { api: 'api/v1', plural: 'configmaps' },
  NetworkPolicy: { api: 'apis/networking.k8s.io/v1', plural: 'networkpolicies' },
  Node: { api: 'api/v1', plural: 'nodes' },
  Lease: { api: 'apis/coordination.k8s.io/v1', plural: 'leases' },
} as const
export type Kind = keyof typeof kinds
export const isKind = (text: string): text is Kind => Object.hasOwn(kinds, text)

export const resourceOf = (kind: Kind): { group: string; resource: string } => {
  const { api, plural } = kinds[kind]
  return { group: api.startsWith('apis/') ? (api.split('/')[1] ?? '') : '', resource: plural }
}

/** @param namespace null for all of them. */
export function pathOf(kind: Kind, namespace: string | null, name?: string): string {
  const { api, plural } = kinds[kind]
  const within = namespace === null ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `/${api}${within}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`
}

export type Named = { kind: Kind; namespace: string; name: string }

const List = z.object({
  items: z.array(z.looseObject({ metadata: z.unknown() })).nullable(),
  metadata: z.looseObject({ continue: z.string().optional(), resourceVersion: z.string().optional() }),
})

/** One object; null where there is none. */
export async function readObject(
  client: KubeClient,
  { kind, namespace, name }: Named,
): Promise<KubeObject | null> {
  try {
    return asObject(await client.json(pathOf(kind, namespace, name)), kind)
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'kube_not_found') return null
    throw failure
  }
}

/** All of a kind, in pages, with the version from which a watch goes on. Elements of a list do not say their kind; here they do. */
export async function listObjects(
  client: KubeClient,
  kind: Kind,
  namespace: string | null,
  selector: { labels?: string; fields?: string } = {},
): Promise<{ items: KubeObject[]; resourceVersion: string }> {
  const items: KubeObject[] = []
  let next: string | undefined
  for (;;) {
    const page = List.parse(
      await client.json(pathOf(kind, namespace), {
        query: { limit: 500, continue: next, labelSelector: selector.labels, fieldSelector: selector.fields },
      }),
    )
    items.push(...(page.items ?? []).map((item) => asObject(item, kind)))
    next = page.metadata.continue || undefined
    if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion ?? '' }
  }
}

export async function createObject(client: KubeClient, object: KubeObject): Promise<KubeObject> {
  const kind = kindOf(object)
  const namespace = object.metadata.namespace ?? 'default'
  return asObject(await client.json(pathOf(kind, namespace), { method: 'POST', body: object }), kind)
}

/**
 * Asks for an object's end, by name and by UID: another object of the same name is not touched. What it owns goes first.
 * @returns false where it is not there.
 */
export async function deleteObject(client: KubeClient, object: Named & { uid: string }): Promise<boolean> {
  const { kind, namespace, name, uid } = object
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid },
    propagationPolicy: 'Foreground',
  }
  try {
    await client.json(pathOf(kind, namespace, name), { method: 'DELETE', body })
    return true
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'kube_not_found') return false
    throw failure
  }
}

export function kindOf({ kind }: KubeObject): Kind {
  if (!isKind(kind)) throw new AppError('internal', `A ${kind} is none of the kinds that are made here.`)
  return kind
}

export function asObject(value: unknown, kind: Kind): KubeObject {
  const { api } = kinds[kind]
  const given = typeof value === 'object' && value !== null ? value : {}
  const parsed = KubeObject.safeParse({ apiVersion: api.replace(/^apis?\//, ''), kind, ...given })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError(
    'unresolved',
    `The cluster sent a ${kind} that does not fit: ${issue?.path.join('.')} ${issue?.message}.`,
  )
}

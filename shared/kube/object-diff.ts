import type { KubeObject } from './objects.ts'

export type DiffChange = 'copied' | 'changed' | 'added' | 'removed'

/** One leaf of an object: where, what it was, what it is to be. Values as JSON text. */
export type DiffRow = { path: string; change: DiffChange; before: string | null; after: string | null }

export type ObjectDiff = { kind: string; before: string | null; after: string; rows: DiffRow[] }

/** Of the very object it was read from; no copy could have it. */
const own =
  /^(status|metadata\.(uid|resourceVersion|generation|creationTimestamp|managedFields|selfLink|ownerReferences|finalizers))(\.|$)/

/**
 * Every leaf of two objects side by side, in the order of the new one, removed ones last. Elements of lists that have a `name` are compared by
 * it, so that a variable put in front of the others does not make all of them look changed.
 * @param before null for an object that has no original.
 */
export function diffObjects(before: KubeObject | null, after: KubeObject): ObjectDiff {
  const was = leaves(before ?? {})
  const is = leaves(after)
  const rows: DiffRow[] = [...is].map(([path, value]) => {
    const old = was.get(path)
    const change = old === undefined ? 'added' : old === value ? 'copied' : 'changed'
    return { path, change, before: old ?? null, after: value }
  })
  for (const [path, value] of was) {
    if (!is.has(path)) rows.push({ path, change: 'removed', before: value, after: null })
  }
  const nameOf = (object: KubeObject | null) => object?.metadata.name ?? null
  return { kind: after.kind, before: nameOf(before), after: nameOf(after) ?? '', rows }
}

function leaves(object: object): Map<string, string> {
  const found = new Map<string, string>()
  collect(object, '', found)
  return found
}

function collect(value: unknown, path: string, found: Map<string, string>): void {
  if (own.test(path)) return
  if (typeof value !== 'object' || value === null || isEmpty(value)) {
    if (value !== undefined && path !== '') found.set(path, JSON.stringify(value))
    return
  }
  for (const [key, item] of entriesOf(value)) collect(item, path === '' ? key : `${path}.${key}`, found)
}

const isEmpty = (value: object) => Object.keys(value).length === 0

function entriesOf(value: object): [string, unknown][] {
  if (!Array.isArray(value)) return Object.entries(value)
  return value.map((item: unknown, index): [string, unknown] => [`[${nameIn(item) ?? index}]`, item])
}

/** What an element is known by: containers, variables, volumes and ports by their name, mounts by their place. */
function nameIn(item: unknown): string | null {
  if (typeof item !== 'object' || item === null) return null
  const { mountPath, name } = item as { mountPath?: unknown; name?: unknown }
  if (typeof mountPath === 'string') return mountPath
  return typeof name === 'string' ? name : null
}

/** Each object of a derived verifier beside the one it was made from. */
export function diffAgainst(originals: (KubeObject | null)[], objects: KubeObject[]): ObjectDiff[] {
  return objects.map((object) =>
    diffObjects(originals.find((original) => original?.kind === object.kind) ?? null, object),
  )
}

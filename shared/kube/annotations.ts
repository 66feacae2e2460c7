import type { z } from 'zod'
import type { KubeMeta } from './objects.ts'

type Meta = z.infer<typeof KubeMeta> | undefined

/** Written by the cluster or by a tool about the very object it stands on. */
const aboutItself =
  /^(kubectl\.kubernetes\.io\/|deployment\.kubernetes\.io\/|meta\.helm\.sh\/|argocd\.argoproj\.io\/)/
/** A name in a mesh or in public DNS, which only one thing can have. */
const hostname = /\/hostname$/

/** Whether any of them gives the thing a name of its own in a mesh. */
export const hostnamed = (metas: Meta[]): boolean =>
  metas.some((meta) => Object.keys(meta?.annotations ?? {}).some((key) => hostname.test(key)))

/** The annotations that a copy keeps, with its own name where the original has one. */
export function plainAnnotations(meta: Meta, name: string): { annotations?: Record<string, string> } {
  const kept = Object.entries(meta?.annotations ?? {})
    .filter(([key]) => !aboutItself.test(key))
    .map(([key, value]) => [key, hostname.test(key) ? renamed(value, name) : value])
  return kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }
}

/** `verifier.lab.example` → `<name>.lab.example`. */
const renamed = (value: string, name: string) => [name, ...value.split('.').slice(1)].join('.')

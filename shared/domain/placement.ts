import { z } from 'zod'
import { ClusterPin } from './cluster.ts'

const quantity = z
  .string()
  .regex(/^\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/, 'is no quantity such as 250m or 2Gi')

/** What a verifier's pod asks for and may take. */
export const VerifierResources = z.object({
  cpuRequest: quantity.default('100m'),
  cpuLimit: quantity.default('2'),
  memoryRequest: quantity.default('256Mi'),
  memoryLimit: quantity.default('1Gi'),
  diskRequest: quantity.default('1Gi'),
  diskLimit: quantity.default('2Gi'),
})

const fullHash = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be a full commit hash')

/** From what a run's verifier in a cluster is made. */
export const VerifierOrigin = z.discriminatedUnion('kind', [
  /** After a live one that others use. */
  z.object({ kind: z.literal('copy'), deployment: z.string().min(1) }),
  /** After the project's own manifest. */
  z.object({
    kind: z.literal('manifest'),
    image: z.string().min(1),
    pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent'),
    /** Git remote that holds the suite; null where the image itself does. */
    remote: z.string().min(1).nullable().default(null),
    /** The suite's folder, in the remote or in the image; null for the image's own. */
    suite: z.string().min(1).nullable().default(null),
  }),
  /** The live one itself, knowingly: nothing is made, and no other run may use it meanwhile. */
  z.object({ kind: z.literal('shared'), deployment: z.string().min(1) }),
])
export type VerifierOrigin = z.infer<typeof VerifierOrigin>

const common = {
  from: VerifierOrigin,
  commit: fullHash.nullable().default(null),
  replicas: z.number().int().min(1).max(16).default(1),
  /** The least that holds a candidate in there; null for whatever there is. */
  isolation: z.enum(['sandbox', 'user', 'container']).nullable().default(null),
  resources: VerifierResources.prefault({}),
}

/** A verifier in a cluster as a person asks for it: by a context's name. */
export const ClusterVerifierDraft = z.object({
  kind: z.literal('cluster'),
  context: z.string().min(1),
  namespace: z.string().min(1).max(63),
  ...common,
})
export type ClusterVerifierDraft = z.infer<typeof ClusterVerifierDraft>

/** The same, frozen: by what the cluster is. */
export const ClusterPlacement = z.object({ kind: z.literal('cluster'), cluster: ClusterPin, ...common })
export type ClusterPlacement = z.infer<typeof ClusterPlacement>

export const VerifierDraft = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local') }),
  ClusterVerifierDraft,
])
export type VerifierDraft = z.infer<typeof VerifierDraft>

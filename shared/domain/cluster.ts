import { z } from 'zod'
import { Sha256 } from '../base/ids.ts'

/**
 * A cluster by what it is, not by what a file calls it: contexts are renamed and the current one changes, but the address, the authority that
 * its certificate comes from and the namespace's own UID do not.
 */
export const ClusterIdentity = z.object({
  server: z.url(),
  /** Of the certificate authority's bytes; null where the system's own authorities are trusted. */
  caSha256: Sha256.nullable(),
})
export type ClusterIdentity = z.infer<typeof ClusterIdentity>

/** A namespace of a cluster, pinned. `context` is only what the person chose it by. */
export const ClusterPin = ClusterIdentity.extend({
  context: z.string().min(1),
  namespace: z.string().min(1).max(63),
  namespaceUid: z.string().min(1),
})
export type ClusterPin = z.infer<typeof ClusterPin>

/** One text for a cluster, the same whatever context led there: the key of its colour and its switch. */
export const clusterKey = ({ server, caSha256 }: ClusterIdentity): string =>
  `${server} ${caSha256?.slice(0, 16) ?? 'system'}`

import { z } from 'zod'

/** One replica of a verifier, as the one in front of it sees it. */
export const ReplicaHealth = z.object({
  /** What its place is called: the pod's name. */
  id: z.string(),
  uid: z.string(),
  usable: z.boolean(),
  /** Why it is not used; null where it is. */
  problem: z.string().nullable(),
  /** It answers, and is another suite or commit than the run is pinned to. */
  drifted: z.boolean(),
  /** Bodies that wait for it, and those it has graded since it was first seen. */
  inHand: z.number().int(),
  graded: z.number().int(),
  commit: z.string().nullable(),
  instance: z.string().nullable(),
  warm: z.number().int().nullable(),
  workers: z.number().int().nullable(),
})
export type ReplicaHealth = z.infer<typeof ReplicaHealth>

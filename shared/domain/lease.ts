import { z } from 'zod'
import { RunId, Timestamp } from '../base/ids.ts'

/** A thing that must be given back. Written to the ledger before it is acquired, so that a crash in between is found. */
export const Lease = z.object({
  id: z.string(),
  /** Null for what the console holds for itself: a verifier of a preflight, of `ringside grade`. */
  run: RunId.nullable(),
  kind: z.enum([
    'process',
    'folder',
    'port',
    'tunnel',
    'hosts_pin',
    'pod',
    'service',
    'deployment',
    'network_policy',
    'secret',
    'config_map',
    /** The sole use of a thing that others share. */
    'hold',
  ]),
  /** What a person reads: `verifier (process group 4711)`. */
  label: z.string(),
  /** Exact identity, by kind: `{pid, startedAt}` of a process, the path of a folder. Empty until acquired. */
  identity: z.record(z.string(), z.union([z.string(), z.number()])),
  state: z.enum(['intended', 'held', 'released', 'left']),
  at: Timestamp,
  /** Why it is left, where it is. */
  note: z.string().nullable(),
})
export type Lease = z.infer<typeof Lease>

/** One row of a teardown: what would be done, or what was. */
export const TeardownRow = z.object({
  lease: z.string(),
  kind: Lease.shape.kind,
  label: z.string(),
  /** The lease's exact identity, so that a person sees what is meant before it goes; absent where nothing was acquired. */
  identity: Lease.shape.identity.optional(),
  action: z.enum(['release', 'keep', 'nothing_to_do']),
  proof: z.string().nullable(),
})
export type TeardownRow = z.infer<typeof TeardownRow>

export const TeardownReport = z.object({
  plan: z.array(TeardownRow),
  released: z.array(TeardownRow),
  left: z.array(TeardownRow),
  /** In a plan: what was given back before, with its proof. */
  earlier: z.array(TeardownRow).optional(),
})
export type TeardownReport = z.infer<typeof TeardownReport>

import { z } from 'zod'
import { Timestamp } from '../base/ids.ts'

export const markKinds = [
  'scheduled',
  'pending',
  'started',
  'ready',
  'unready',
  'restarted',
  'oom_killed',
  'evicted',
  'image',
  'failed',
  'deleted',
  'drift',
  'reached',
  'cut',
  'note',
] as const
export type MarkKind = (typeof markKinds)[number]

/** Something that happened to a run's verifier in its cluster, worth seeing beside the run's steps. */
export const KubeMark = z.object({
  at: Timestamp,
  kind: z.enum(markKinds),
  level: z.enum(['info', 'warning', 'error']),
  /** `Pod verifier-…-x7k2p`. */
  object: z.string(),
  text: z.string(),
})
export type KubeMark = z.infer<typeof KubeMark>

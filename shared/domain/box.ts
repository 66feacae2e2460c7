import { z } from 'zod'
import { Timestamp } from '../base/ids.ts'

/** A machine behind SSH that the console knows. */
export const Box = z.object({
  /** Made from the target when it was added; never changes. */
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  /** What a person calls it. */
  name: z.string().trim().min(1).max(80),
  /** An alias of the SSH configuration, or `user@host:port`. */
  target: z.string().min(1).max(300),
  /** Folder of everything of the console's there, absolute; null until the box was reached once. */
  root: z.string().nullable(),
  addedAt: Timestamp,
})
export type Box = z.infer<typeof Box>

/** A box's id: the letters of its target, and a number where another box has them. */
export function newBoxId(target: string, taken: readonly string[]): string {
  const letters = target.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const base = letters.replaceAll(/^-+|-+$/g, '').slice(0, 36) || 'box'
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}

/** What a person must decide before anything is sent to a machine. */
export type HostKeyQuestion = {
  /** The machine on the way that asks it: the box, or a jump host before it. */
  hop: string
  /** As it stands in `known_hosts`. */
  name: string
  type: string
  base64: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: string
  /** On record for that name, with the file and line of each; empty for a machine never seen. */
  known: { type: string; fingerprint: string; where: string }[]
  /** The machine has another key of the same type than before: a new machine at an old address, or somebody in between. */
  changed: boolean
}

export const linkStates = ['idle', 'connecting', 'ready', 'degraded', 'lost', 'refused'] as const
/** `idle`: nobody needed it yet. `degraded`: an answer is overdue. `lost`: tried again by itself. `refused`: needs a person. */
export type LinkStateName = (typeof linkStates)[number]

/** One look at a box, from its name to what is on it; the step that failed is the last. */
export type BoxTest = {
  box: string
  ok: boolean
  steps: {
    step: string
    state: 'passed' | 'warned' | 'failed'
    detail: string
    remedy: string | null
    ms: number
  }[]
}

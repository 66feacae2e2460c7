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

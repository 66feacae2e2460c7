import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'

/** One place where the same verifier answers. `uid` tells a replaced one of the same name apart. */
export const Backend = z.object({
  id: z.string().min(1),
  uid: z.string().min(1),
  url: z.url(),
  token: z.string().nullable(),
})
export type Backend = z.infer<typeof Backend>

export const BackendsFile = z.object({
  backends: z.array(Backend),
  /** Why there is none, or fewer than wanted, in the words of who writes the file; null where all is well. */
  note: z.string().nullable().default(null),
})
export type BackendsFile = z.infer<typeof BackendsFile>

const nothing: BackendsFile = { backends: [], note: 'no address of a verifier is known yet' }

/** A file that somebody else replaces as places come and go; read again where it changed. */
export class Backends {
  private readonly path: string
  private stamp = ''
  private content = nothing

  constructor(path: string) {
    this.path = path
  }

  /** What it says now. One that is missing or half there says what it said before. */
  read(): BackendsFile {
    try {
      const { mtimeMs, ino, size } = statSync(this.path)
      const stamp = `${mtimeMs}/${ino}/${size}`
      if (stamp === this.stamp) return this.content
      this.content = BackendsFile.parse(JSON.parse(readFileSync(this.path, 'utf8')))
      this.stamp = stamp
    } catch {
      // The next look finds it whole.
    }
    return this.content
  }
}

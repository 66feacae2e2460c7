import { type Fingerprint, foundShare } from './fingerprint.ts'
import { NgramIndex } from './ngram-index.ts'

/** Tokens without a known n-gram after which what follows is another place: a comment's worth, or a changed line. */
const widestGap = 64

export type Stretch = { body: number; share: number; offset: number }

/** Puts n-grams of one body that stand near one another together, and tells of a place where enough of them do. */
export class Stretches {
  readonly index: NgramIndex
  private readonly fingerprints: readonly Fingerprint[]
  /** For each n-gram of each body, the stretch in which it was last seen: it counts once. */
  private readonly seen: Int32Array
  /** Of each body, its open stretch (0 for none), the n-grams matched in it, its last token and its place. */
  private readonly stretch: Int32Array
  private readonly matched: Int32Array
  private readonly lastToken: Float64Array
  private readonly offset: Float64Array
  private last = 0
  private readonly onFound: (found: Stretch) => void

  constructor(fingerprints: readonly Fingerprint[], onFound: (found: Stretch) => void) {
    this.fingerprints = fingerprints
    this.index = new NgramIndex(fingerprints)
    this.seen = new Int32Array(this.index.size)
    this.stretch = new Int32Array(fingerprints.length)
    this.matched = new Int32Array(fingerprints.length)
    this.lastToken = new Float64Array(fingerprints.length)
    this.offset = new Float64Array(fingerprints.length)
    this.onFound = onFound
  }

  /** @param entry of the index. @param offset of the n-gram's first token. @param token how many were read before. */
  hit(entry: number, offset: number, token: number): void {
    const { index, seen, stretch, lastToken } = this
    const end = index.begin(entry + 1)
    for (let at = index.begin(entry); at < end; at += 1) {
      const body = index.bodies[at] as number
      const id = index.ids[at] as number
      if (stretch[body] !== 0 && token - (lastToken[body] as number) > widestGap) this.close(body)
      if (stretch[body] === 0) {
        this.last += 1
        stretch[body] = this.last
        this.matched[body] = 0
        this.offset[body] = offset
      }
      lastToken[body] = token
      if (seen[id] === stretch[body]) continue
      seen[id] = stretch[body] as number
      this.matched[body] = (this.matched[body] as number) + 1
    }
  }

  /** To be called at the end of each file. */
  end(): void {
    for (const body of this.fingerprints.keys()) if (this.stretch[body] !== 0) this.close(body)
  }

  private close(body: number): void {
    this.stretch[body] = 0
    const share = (this.matched[body] as number) / (this.fingerprints[body]?.ngrams.length ?? 1)
    if (share >= foundShare) this.onFound({ body, share, offset: this.offset[body] as number })
  }
}

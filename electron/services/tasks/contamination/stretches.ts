import { type Fingerprint, foundShare, NgramIndex } from './fingerprint.ts'

/** Tokens without a known n-gram after which what follows is another place: a comment's worth, or a changed line. */
const widestGap = 64

export type Stretch = { body: number; share: number; offset: number }

type Open = { stretch: number; matched: number; lastToken: number; offset: number }

/** Puts n-grams of one body that stand near one another together, and tells of a place where enough of them do. */
export class Stretches {
  readonly index: NgramIndex
  private readonly fingerprints: readonly Fingerprint[]
  /** For each n-gram of a body, the stretch in which it was last seen: it counts once. */
  private readonly seen: Int32Array[]
  private readonly open = new Map<number, Open>()
  private last = 0
  private readonly onFound: (found: Stretch) => void

  constructor(fingerprints: readonly Fingerprint[], onFound: (found: Stretch) => void) {
    this.fingerprints = fingerprints
    this.index = new NgramIndex(fingerprints)
    this.seen = fingerprints.map(({ ngrams }) => new Int32Array(ngrams.length))
    this.onFound = onFound
  }

  hit(ngram: number, offset: number, token: number): void {
    for (const { body, at } of this.index.of(ngram) ?? []) {
      let place = this.open.get(body)
      if (place && token - place.lastToken > widestGap) {
        this.close(body, place)
        place = undefined
      }
      if (!place) {
        this.last += 1
        place = { stretch: this.last, matched: 0, lastToken: token, offset }
        this.open.set(body, place)
      }
      place.lastToken = token
      const seen = this.seen[body]
      if (seen && seen[at] !== place.stretch) {
        seen[at] = place.stretch
        place.matched += 1
      }
    }
  }

  /** To be called at the end of each file. */
  end(): void {
    for (const [body, place] of this.open) this.close(body, place)
  }

  private close(body: number, { matched, offset }: Open): void {
    this.open.delete(body)
    const share = matched / (this.fingerprints[body]?.ngrams.length ?? 1)
    if (share >= foundShare) this.onFound({ body, share, offset })
  }
}

import { TokenScanner } from './token-scanner.ts'

/** Tokens in a row that make one n-gram: shorter ones are common idioms, longer ones break at every small edit. */
export const ngramTokens = 8
/** Share of a body's n-grams that must stand together. Half: copies with renamed parts are found, shared idioms are not. */
export const foundShare = 0.5
/** A body of fewer n-grams could be anybody's. */
export const fewestNgrams = 16

export type Fingerprint = { task: string; ngrams: Int32Array }

/** The distinct n-grams of a body, as the scanner would see them in a corpus. */
export function fingerprintOf(task: string, body: string): Fingerprint {
  const found = new Set<number>()
  const scanner = new TokenScanner(null, (ngram) => found.add(ngram))
  const bytes = Buffer.from(body)
  scanner.push(bytes, bytes.length, true)
  return { task, ngrams: Int32Array.from(found) }
}

/** Which bodies have an n-gram, behind a filter that most of a corpus does not pass. */
export class NgramIndex {
  /** One bit a slot; a slot is the upper bits of the mixed hash. */
  readonly filter: Uint32Array
  readonly shift: number
  private readonly places = new Map<number, { body: number; at: number }[]>()

  constructor(fingerprints: readonly Fingerprint[]) {
    const count = fingerprints.reduce((sum, { ngrams }) => sum + ngrams.length, 0)
    // 64 slots an n-gram: about one and a half of a hundred strange n-grams pass.
    const bits = Math.min(28, Math.max(12, Math.ceil(Math.log2(count * 64 + 1))))
    this.shift = 32 - bits
    this.filter = new Uint32Array(2 ** (bits - 5))
    for (const [body, { ngrams }] of fingerprints.entries())
      for (const [at, ngram] of ngrams.entries()) this.add(ngram, { body, at })
  }

  of(ngram: number): readonly { body: number; at: number }[] | undefined {
    return this.places.get(ngram)
  }

  private add(ngram: number, place: { body: number; at: number }): void {
    const known = this.places.get(ngram)
    if (known) known.push(place)
    else this.places.set(ngram, [place])
    const slot = mixed(ngram) >>> this.shift
    this.filter[slot >>> 5] = (this.filter[slot >>> 5] ?? 0) | (1 << (slot & 31))
  }
}

/** Spreads a rolling hash, whose lower bits hardly depend on its older tokens. */
export const mixed = (ngram: number): number => Math.imul(ngram ^ (ngram >>> 15), 0x9e3779b1)

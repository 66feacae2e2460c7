import type { Fingerprint } from './fingerprint.ts'

/**
 * Which bodies have an n-gram, in flat arrays: a lookup makes nothing that the memory would have to be cleared of. A filter of one bit a slot
 * stands before it, which most of a corpus does not pass.
 */
export class NgramIndex {
  readonly filter: Uint32Array
  /** A slot is the upper bits of the mixed hash. */
  readonly shift: number
  /** Of each posting its body, and the number of the n-gram among all n-grams of all bodies. */
  readonly bodies: Int32Array
  readonly ids: Int32Array
  /** Where the postings of an entry begin; they end where those of the next begin. */
  private readonly begins: Int32Array
  private readonly keys: Int32Array
  private readonly table: Int32Array
  private readonly mask: number

  constructor(fingerprints: readonly Fingerprint[]) {
    const postings = new Map<number, { body: number; id: number }[]>()
    let id = 0
    for (const [body, { ngrams }] of fingerprints.entries())
      for (const ngram of ngrams) {
        const known = postings.get(ngram)
        if (known) known.push({ body, id })
        else postings.set(ngram, [{ body, id }])
        id += 1
      }
    // 64 slots an n-gram: about one and a half of a hundred strange n-grams pass.
    const bits = Math.min(28, Math.max(12, Math.ceil(Math.log2(postings.size * 64 + 1))))
    this.shift = 32 - bits
    this.filter = new Uint32Array(2 ** (bits - 5))
    this.bodies = new Int32Array(id)
    this.ids = new Int32Array(id)
    this.begins = new Int32Array(postings.size + 1)
    this.keys = Int32Array.from(postings.keys())
    this.mask = 2 ** Math.ceil(Math.log2(postings.size * 2 + 2)) - 1
    this.table = new Int32Array(this.mask + 1).fill(-1)
    let at = 0
    for (const [entry, list] of [...postings.values()].entries()) {
      this.begins[entry] = at
      for (const { body, id: own } of list) {
        this.bodies[at] = body
        this.ids[at] = own
        at += 1
      }
      this.begins[entry + 1] = at
      this.place(entry)
    }
  }

  get size(): number {
    return this.ids.length
  }

  /** The entry of an n-gram, or −1. */
  find(ngram: number): number {
    for (let slot = mixed(ngram) & this.mask; ; slot = (slot + 1) & this.mask) {
      const entry = this.table[slot] as number
      if (entry === -1 || this.keys[entry] === ngram) return entry
    }
  }

  /** The first posting of an entry; the one after its last is the first of the next entry. */
  begin(entry: number): number {
    return this.begins[entry] as number
  }

  private place(entry: number): void {
    const spread = mixed(this.keys[entry] ?? 0)
    const bit = spread >>> this.shift
    this.filter[bit >>> 5] = (this.filter[bit >>> 5] ?? 0) | (1 << (bit & 31))
    let slot = spread & this.mask
    while (this.table[slot] !== -1) slot = (slot + 1) & this.mask
    this.table[slot] = entry
  }
}

/** Spreads a rolling hash, whose lower bits hardly depend on its older tokens. */
const mixed = (ngram: number): number => Math.imul(ngram ^ (ngram >>> 15), 0x9e3779b1)

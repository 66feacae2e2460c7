/** The whole state of a generator, as it stands in a checkpoint: four unsigned 32-bit words, not all zero. */
export type RandomState = readonly [number, number, number, number]

/**
 * xoshiro128** (Blackman and Vigna, 2018): 128 bits of state, 32 bits a draw, exact in 32-bit integer arithmetic and so equal on every
 * machine. Seedable and serialisable, which `Math.random` is not. Not for secrets.
 */
export class Random {
  private words: [number, number, number, number]

  constructor(state: RandomState) {
    this.words = [state[0] >>> 0, state[1] >>> 0, state[2] >>> 0, state[3] >>> 0]
    if (this.words.every((word) => word === 0))
      throw new RangeError('a generator’s state must not be all zero')
  }

  /**
   * A generator of its own for every list of parts, e.g. `Random.of(seed, 'eval', draw)`. Draws are then independent of how many were made
   * elsewhere, which is what lets two arms share their evaluation draws.
   */
  static of(...parts: (number | string)[]): Random {
    const text = JSON.stringify(parts)
    return new Random([hash32(text, 1), hash32(text, 2), hash32(text, 3), hash32(text, 4)])
  }

  get state(): RandomState {
    return [...this.words]
  }

  /** The next 32 bits, as an integer in [0, 2^32). */
  next(): number {
    const s = this.words
    const result = Math.imul(rotateLeft(Math.imul(s[1], 5), 7), 9) >>> 0
    const shifted = s[1] << 9
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= shifted
    s[3] = rotateLeft(s[3], 11)
    for (let i = 0; i < 4; i++) s[i] = (s[i] ?? 0) >>> 0
    return result
  }

  /** Uniform in [0, 1), in steps of 2^-32. */
  float(): number {
    return this.next() / 2 ** 32
  }

  /** A uniform integer in [low, high], both included; by rejection, so without modulo bias. */
  integer(low: number, high: number): number {
    const span = high - low + 1
    if (!Number.isSafeInteger(span) || span < 1 || span > 2 ** 32)
      throw new RangeError(`no integers from ${low} to ${high}`)
    const usable = 2 ** 32 - (2 ** 32 % span)
    let drawn = this.next()
    while (drawn >= usable) drawn = this.next()
    return low + (drawn % span)
  }

  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    const index = this.integer(0, items.length - 1)
    return items[index] as T
  }

  /** A new list in uniform random order (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const list = [...items]
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.integer(0, at)
      const held = list[at] as T
      list[at] = list[other] as T
      list[other] = held
    }
    return list
  }

  /** An index drawn from `probabilities`, which sum to 1 within rounding; the last index takes what rounding leaves. */
  categorical(probabilities: readonly number[]): number {
    const at = this.float()
    let sum = 0
    for (let i = 0; i < probabilities.length - 1; i++) {
      sum += probabilities[i] ?? 0
      if (at < sum) return i
    }
    return probabilities.length - 1
  }
}

const rotateLeft = (word: number, by: number): number => (word << by) | (word >>> (32 - by))

/** FNV-1a over UTF-16 code units, from an offset of its own for each lane, then the finaliser of MurmurHash3 to spread the bits. */
function hash32(text: string, lane: number): number {
  let hash = (0x811c9dc5 ^ Math.imul(lane, 0x9e3779b9)) >>> 0
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

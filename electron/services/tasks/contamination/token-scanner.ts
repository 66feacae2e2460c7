import { backslash, classes, hash, nothing, operator, word } from './classes.ts'
import type { NgramIndex } from './ngram-index.ts'

const ngram = 8
const ringMask = ngram - 1
const base = 0x01000193
/** What the token that leaves the n-gram counted for in its hash: base to the power of 7, modulo 2^32. */
const leaving = Array.from({ length: ngram - 1 }).reduce<number>((power) => Math.imul(power, base), 1)
/** A longer run of letters is data, and is cut: no token then spans more than what is kept between two pushes. */
const longestWord = 256
/** A comment whose end is further away is none: prose and file globs hold `/*` too. */
const longestComment = 4096
/** Bytes at the end of a push that wait for the next one, so that every token and escape is read whole. */
const tail = 512

const code = 0
const lineComment = 1
const blockComment = 2

/** Called with an n-gram's entry in the index (its hash, where there is none), the offset of its first token, and how many were read. */
export type OnNgram = (ngram: number, offset: number, token: number) => void

/**
 * Cuts bytes into tokens and those into n-grams, without a string a token. One reading for all kinds of files: comments (`//`, `#`, and
 * block comments) and white space are nothing, and so is an escape of white space or of a quote however often it was escaped, so that code
 * inside a JSON string, or inside JSON inside that, reads as the code itself.
 */
export class TokenScanner {
  /** Of the next byte, from the beginning of the file. */
  private offset = 0
  private mode = code
  private commentBytes = 0
  /** The last tokens and where each began, counted from the beginning of the push. */
  private readonly tokens = new Int32Array(ngram)
  private readonly starts = new Int32Array(ngram)
  private rolling = 0
  private count = 0
  private readonly index: NgramIndex | null
  private readonly filter: Uint32Array
  private readonly shift: number
  private readonly onNgram: OnNgram

  /** @param index only its n-grams are told of; null for all. */
  constructor(index: NgramIndex | null, onNgram: OnNgram) {
    this.index = index
    this.filter = index?.filter ?? new Uint32Array(1).fill(0xffffffff)
    this.shift = index?.shift ?? 31
    this.onNgram = onNgram
  }

  /**
   * Reads the first `length` bytes; the caller puts what is left before the next ones.
   * @param last whether the file ends here. @returns how many bytes were read.
   */
  push(bytes: Uint8Array, length: number, last: boolean): number {
    const limit = last ? length : length - tail
    let at = 0
    while (at < limit) {
      at = this.mode === code ? this.code(bytes, at, limit, length) : this.comment(bytes, at, limit)
    }
    this.offset += at
    for (let slot = 0; slot < ngram; slot += 1) this.starts[slot] = (this.starts[slot] ?? 0) - at
    return at
  }

  /**
   * The loop in which all of the time goes: everything it touches is a local, and a token costs one look at the filter. It leaves for what
   * is rare. (Reads are inside the array's bounds or at `length`, where a byte of a former piece does no harm.)
   */
  private code(bytes: Uint8Array, from: number, limit: number, length: number): number {
    const { tokens, starts, filter, shift } = this
    const kinds = classes
    let { rolling, count } = this
    let at = from
    while (at < limit) {
      const start = at
      let byte = bytes[at] as number
      const kind = kinds[byte] as number
      let token: number
      if (kind === nothing) {
        at += 1
        continue
      } else if (kind === word) {
        const most = length - at < longestWord ? length : at + longestWord
        token = 0x811c9dc5
        do {
          token = Math.imul(token ^ byte, base)
          at += 1
          byte = bytes[at] as number
        } while (at < most && kinds[byte] === word)
      } else if (kind === operator) {
        token = Math.imul(byte + 0x5bd1, 0x85ebca6b)
        at += 1
      } else break
      const slot = count & ringMask
      rolling = (Math.imul(rolling - Math.imul(tokens[slot] as number, leaving), base) + token) | 0
      tokens[slot] = token
      starts[slot] = start
      count += 1
      const spread = Math.imul(rolling ^ (rolling >>> 15), 0x9e3779b1) >>> shift
      if (((filter[spread >>> 5] as number) & (1 << (spread & 31))) !== 0) this.tell(rolling, count)
    }
    this.rolling = rolling
    this.count = count
    return at < limit ? this.rare(bytes, at, length) : at
  }

  private rare(bytes: Uint8Array, at: number, length: number): number {
    const kind = classes[bytes[at] ?? 0] ?? 0
    return kind === backslash ? this.escape(bytes, at, length) : this.maybeComment(bytes, at, kind)
  }

  private emit(token: number, start: number): void {
    const slot = this.count & ringMask
    this.rolling = (Math.imul(this.rolling - Math.imul(this.tokens[slot] ?? 0, leaving), base) + token) | 0
    this.tokens[slot] = token
    this.starts[slot] = start
    this.count += 1
    const spread = Math.imul(this.rolling ^ (this.rolling >>> 15), 0x9e3779b1) >>> this.shift
    if (((this.filter[spread >>> 5] ?? 0) & (1 << (spread & 31))) !== 0) this.tell(this.rolling, this.count)
  }

  /** The n-gram that ends with the last token: its first one stands where the next will go. */
  private tell(rolling: number, count: number): void {
    if (count < ngram) return
    const entry = this.index === null ? rolling : this.index.find(rolling)
    if (this.index !== null && entry === -1) return
    this.onNgram(entry, this.offset + (this.starts[count & ringMask] as number), count)
  }

  /** `//` is no comment after a colon (an address), `#` only after white space and before neither `[` nor `!` (attributes). */
  private maybeComment(bytes: Uint8Array, at: number, kind: number): number {
    const before = at === 0 ? 32 : (bytes[at - 1] ?? 32)
    const after = bytes[at + 1] ?? 0
    if (kind === hash) {
      const apart = before <= 32 || (bytes[at - 2] === 92 && (before === 110 || before === 116))
      if (apart && after !== 91 && after !== 33 && after !== 34) return this.begin(lineComment, at + 1)
    } else if (after === 47 && before !== 58) return this.begin(lineComment, at + 2)
    else if (after === 42) return this.begin(blockComment, at + 2)
    this.emit(kind, at)
    return at + 1
  }

  private begin(mode: number, at: number): number {
    this.mode = mode
    this.commentBytes = 0
    return at
  }

  /** Goes on behind the end of the comment; a line comment ends at an escaped line end too. */
  private comment(bytes: Uint8Array, from: number, limit: number): number {
    const line = this.mode === lineComment
    let at = from
    for (; at < limit; at += 1) {
      const byte = bytes[at]
      if (line ? byte === 10 || (byte === 92 && bytes[at + 1] === 110) : byte === 42 && bytes[at + 1] === 47)
        break
    }
    this.commentBytes += at - from
    if (at < limit) {
      this.mode = code
      return line ? at : at + 2
    }
    if (this.commentBytes > longestComment) this.mode = code
    return at
  }

  private escape(bytes: Uint8Array, from: number, length: number): number {
    let at = from
    const most = Math.min(length, from + 64)
    while (at < most && bytes[at] === 92) at += 1
    const byte = bytes[at]
    // Line end, tab, carriage return: white space, whatever level it was escaped at.
    if (byte === 110 || byte === 116 || byte === 114) return at + 1
    if (byte !== 117) return at
    const value = hexAt(bytes, at + 1)
    if (value < 0) return at
    if (value < 128 && classes[value] === operator) this.emit(Math.imul(value + 0x5bd1, 0x85ebca6b), from)
    if (value < 128 && classes[value] === word) {
      this.emit(Math.imul(0x811c9dc5 ^ value, base), from)
    }
    return at + 5
  }
}

/** Four hexadecimal digits, or −1. */
function hexAt(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let digit = 0; digit < 4; digit += 1) {
    const byte = bytes[at + digit] ?? 0
    const low = byte | 32
    const one = byte >= 48 && byte <= 57 ? byte - 48 : low >= 97 && low <= 102 ? low - 87 : -1
    if (one < 0) return -1
    value = value * 16 + one
  }
  return value
}

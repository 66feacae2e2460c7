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

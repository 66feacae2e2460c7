import type { ControlResult } from '../domain/verifier.ts'
import type { Finding } from './contamination.ts'
import type { MemoryEstimate } from './memory.ts'
import type { Dropped, Thresholds } from './rules.ts'

/** What became of everything that was looked at; kept as `build.json` in the suite's folder. */
export type BuildReport = {
  source:
    | { kind: 'repository'; commit: string; manifest: string; from: 'marks' | 'candidates' }
    | { kind: 'file'; format: string; name: string; sha256: string }
  found: number
  kept: number
  dropped: Dropped[]
  thresholds: Partial<Thresholds>
  /** Crates whose tests could not be built are among them, with no test. */
  crates: { name: string; tests: number; broken: string | null }[]
  tests: 'included' | 'withheld' | null
  tokens: TokenFacts
  corpus: CorpusFacts | null
  /** What the longest prompt needs on the box; null where no model was named. */
  memory: MemoryEstimate | null
  /** Of every kept task on which they were run, as they came out. */
  controls: Record<string, ControlResult[]>
  /** What a person should know and no field says. */
  notes: string[]
}

export type TokenFacts = {
  by: string
  exact: boolean
  cap: number | null
  /** Of every prompt that was made, those above the cap included. */
  histogram: { from: number; to: number; prompts: number }[]
  longest: number | null
}

/** What the bodies were looked for in. */
export type CorpusFacts = {
  files: number
  bytes: number
  /** Tokens in a row that make one n-gram, and how many n-grams of a body found together make a finding. */
  ngram: number
  threshold: number
  findings: Finding[]
  /** Bodies that have too few n-grams to be told from boilerplate. */
  unscannable: string[]
}

/** In steps of a tenth of the cap (of the longest, where there is none), up to the longest. */
export function tokenHistogram(counts: readonly number[], cap: number | null): TokenFacts['histogram'] {
  const longest = Math.max(0, ...counts)
  const step = Math.max(1, Math.ceil((cap ?? Math.max(longest, 1)) / 10))
  const bins = Math.ceil((longest + 1) / step)
  return Array.from({ length: counts.length === 0 ? 0 : bins }, (_, bin) => {
    const from = bin * step
    return { from, to: from + step, prompts: counts.filter((n) => n >= from && n < from + step).length }
  })
}

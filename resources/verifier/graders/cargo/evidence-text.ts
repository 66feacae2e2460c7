import type { Evidence } from '#shared/domain/verifier.ts'

/** Enough for a compiler's first dozen errors or a test's panic; beyond it the evidence store would fill with repetition. */
const limitBytes = 48 * 1024

/** One part of a grade's evidence, cut at the limit, with how much was cut. */
export function evidenceText(name: string, text: string, alreadyCut = 0): Evidence['output'][number] {
  const bytes = Buffer.from(text)
  let end = Math.min(bytes.length, limitBytes)
  // Never in the middle of a character.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return {
    name,
    text: bytes.subarray(0, end).toString('utf8'),
    cutBytes: bytes.length - end + alreadyCut,
    limitBytes,
  }
}

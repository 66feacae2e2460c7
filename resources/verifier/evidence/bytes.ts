import { createHash } from 'node:crypto'

/** Whether a string has a UTF-8 form: no half of a surrogate pair stands alone. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()

/**
 * sha256 of a text's UTF-8 bytes. Lone surrogates, which have none, are hashed by their three-byte form, so that two different texts never
 * share a hash as they would if both became U+FFFD.
 */
export function textSha256(text: string): string {
  const hash = createHash('sha256')
  if (isWellFormed(text)) return hash.update(text, 'utf8').digest('hex')
  for (const part of text) {
    const code = part.codePointAt(0) ?? 0
    const lone = code >= 0xd800 && code <= 0xdfff
    hash.update(
      lone ? Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)]) : part,
    )
  }
  return hash.digest('hex')
}

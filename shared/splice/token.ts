export type TokenKind = 'ident' | 'lifetime' | 'string' | 'char' | 'number' | 'punct' | 'open' | 'close'

/**
 * One token of Rust source. `text` is the source's own, but for identifiers, which are given as the compiler sees them: without `r#`, in
 * Unicode form NFC (the Kelvin sign is a `K`). `start` and `end` are UTF-16 offsets into the source.
 */
export type Token = { kind: TokenKind; text: string; start: number; end: number }

/** A place at which no Rust lexer could go on; the compiler refuses such a source too. */
export type LexError = { message: string; at: number }

export const isIdent = (token: Token | undefined, text?: string): boolean =>
  token?.kind === 'ident' && (text === undefined || token.text === text)

export const isPunct = (token: Token | undefined, text: string): boolean =>
  token !== undefined && token.kind !== 'ident' && token.kind !== 'string' && token.text === text

/** Whether `::` stands at `at` (punctuation is kept one character a token). */
export const isPathSeparator = (tokens: readonly Token[], at: number): boolean => {
  const [first, second] = [tokens[at], tokens[at + 1]]
  return isPunct(first, ':') && isPunct(second, ':') && first?.end === second?.start
}

/** A piece of source text: `[from, to)` in characters. White space is a token too, so that tokens cover the whole text. */
export type Token = { from: number; to: number; text: string; blank: boolean }

/**
 * Splits source text of any of the languages shown (Python, Rust, C, JavaScript) the way a reader sees it: words, numbers, whole string
 * literals on one line, operators of up to three characters, single other characters. It is a reader's split, not a compiler's.
 */
const pattern =
  /\n|[^\S\n]+|[\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/=?|\*\*=?|<<=?|>>=?|[<>=!+\-*/%&|^:]=|->|=>|&&|\|\||::|\.\.=?|./gsu

export function tokens(source: string): Token[] {
  return Array.from(source.matchAll(pattern), (match) => ({
    from: match.index,
    to: match.index + match[0].length,
    text: match[0],
    blank: /^\s+$/.test(match[0]),
  }))
}

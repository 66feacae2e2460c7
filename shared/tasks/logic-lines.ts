import { isLexError, lex } from '../splice/lexer.ts'

/**
 * Lines of a Rust body that say something: comments, blank lines and lines of nothing but brackets, commas and semicolons are none. A
 * literal over several lines is one.
 */
export function logicLines(body: string): number {
  const tokens = lex(body)
  if (isLexError(tokens)) return 0
  const starts = lineStarts(body)
  const lines = new Set<number>()
  let at = 0
  for (const { kind, text, start } of tokens) {
    while ((starts[at + 1] ?? Number.POSITIVE_INFINITY) <= start) at += 1
    if (kind !== 'open' && kind !== 'close' && text !== ',' && text !== ';') lines.add(at)
  }
  return lines.size
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

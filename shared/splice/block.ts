import { isLexError, lex } from './lexer.ts'
import type { Token } from './token.ts'

/** Deeper nesting than any honest body; a compiler's own stack is not ours to test. */
const deepest = 200

export type BlockProblem = {
  code: 'unreadable' | 'leaves_function' | 'too_deep'
  message: string
  at: number
}
export type Block = { text: string; tokens: Token[] }

const closing: Record<string, string> = { '{': '}', '(': ')', '[': ']' }

/**
 * A body as one block with its braces. A text that is one block already is that block, without what stands around it; any other text is the
 * inside of one. Either way the
 * result is one `{…}` with every delimiter inside it closed in order: Rust reads a delimited group as a whole before it gives anything a
 * meaning, so nothing in it can end the function early.
 */
export function asBlock(body: string, options: { rawCStrings?: boolean } = {}): Block | BlockProblem {
  const tokens = lex(body, options)
  if (isLexError(tokens)) return { code: 'unreadable', ...tokens }
  const balance = balanced(tokens)
  if (balance) return balance
  if (isOneGroup(tokens)) return trimmed(body, tokens)
  const text = `{\n${body}\n}`
  const inside = lex(text, options)
  return isLexError(inside) ? { code: 'unreadable', ...inside } : { text, tokens: inside }
}

export const isBlockProblem = (result: Block | BlockProblem): result is BlockProblem => 'code' in result

function balanced(tokens: readonly Token[]): BlockProblem | null {
  const open: Token[] = []
  for (const token of tokens) {
    if (token.kind === 'open') open.push(token)
    if (open.length > deepest)
      return { code: 'too_deep', message: `nested more than ${deepest} deep`, at: token.start }
    if (token.kind !== 'close') continue
    const last = open.pop()
    if (!last) return { code: 'leaves_function', message: 'closes more than it opens', at: token.start }
    if (closing[last.text] !== token.text)
      return {
        code: 'unreadable',
        message: `\`${last.text}\` is closed by \`${token.text}\``,
        at: token.start,
      }
  }
  const left = open.at(-1)
  return left ? { code: 'unreadable', message: `\`${left.text}\` is never closed`, at: left.start } : null
}

function isOneGroup(tokens: readonly Token[]): boolean {
  if (tokens[0]?.text !== '{' || tokens[0].kind !== 'open') return false
  let depth = 0
  return tokens.every((token, at) => {
    if (token.kind === 'open') depth += 1
    if (token.kind === 'close') depth -= 1
    return depth > 0 || at === tokens.length - 1
  })
}

/** From the block's first brace to its last: comments and line ends around it are no part of it. */
function trimmed(body: string, tokens: Token[]): Block {
  const start = tokens[0]?.start ?? 0
  const shifted = tokens.map((token) => ({ ...token, start: token.start - start, end: token.end - start }))
  return { text: body.slice(start, tokens.at(-1)?.end), tokens: shifted }
}

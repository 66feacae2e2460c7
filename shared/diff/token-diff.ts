import { editSpans, type Span } from './myers.ts'
import { type Token, tokens } from './tokens.ts'

/** `whole` marks a block of lines that is another text altogether: its lines differ, and no token in them more than another. */
export type TokenSpan = Span & { whole: boolean }

export type WhiteSpace = 'shown' | 'aside' | 'aside_but_indentation'

/** Past this many differing lines the rest is one changed block: two unrelated long bodies must not freeze the window. */
const lineEdits = 800
/** Within one block of changed lines. Blocks with more are lit whole. */
const tokenEdits = 400
/** A block that shares less than this share of its tokens is another text, and lighting scattered brackets in it would only confuse. */
const sharedShare = 0.4

/**
 * What differs between two bodies, in whole tokens: lines are matched first, then the tokens inside each block of changed lines, so that
 * `<` against `<=` lights exactly those. Positions are characters.
 *
 * @param whiteSpace `aside` drops differences of white space only; `aside_but_indentation` keeps those at the start of a line, which in
 * Python are code.
 */
export function tokenDiff(a: string, b: string, whiteSpace: WhiteSpace = 'shown'): TokenSpan[] {
  const linesA = lines(a)
  const linesB = lines(b)
  const intern = interner()
  const key = (line: string) => intern(lineKey(line, whiteSpace))
  const blocks = editSpans(
    linesA.map((line) => key(line.text)),
    linesB.map((line) => key(line.text)),
    lineEdits,
  ) ?? [{ fromA: 0, toA: linesA.length, fromB: 0, toB: linesB.length }]
  return blocks
    .map((block) => ({
      fromA: linesA[block.fromA]?.from ?? a.length,
      toA: linesA[block.toA]?.from ?? a.length,
      fromB: linesB[block.fromB]?.from ?? b.length,
      toB: linesB[block.toB]?.from ?? b.length,
    }))
    .flatMap((block) => within(a, b, block))
    .filter((span) => whiteSpace === 'shown' || !onlyBlank(a, b, span, whiteSpace))
}

/** How many tokens, white space apart, would have to change to make one body the other; for "the nearest". */
export function tokenDistance(a: string, b: string): number {
  const intern = interner()
  const solid = (source: string) =>
    tokens(source)
      .filter((token) => !token.blank)
      .map((token) => intern(token.text))
  const idsA = solid(a)
  const idsB = solid(b)
  const spans = editSpans(idsA, idsB, tokenEdits * 4)
  if (spans === null) return Math.max(idsA.length, idsB.length)
  return spans.reduce((sum, span) => sum + Math.max(span.toA - span.fromA, span.toB - span.fromB), 0)
}

/** Lines with their line break, so that together they are the whole text. */
function lines(source: string): { from: number; text: string }[] {
  return Array.from(source.matchAll(/[^\n]*\n|[^\n]+$/g), (match) => ({ from: match.index, text: match[0] }))
}

function lineKey(line: string, whiteSpace: WhiteSpace): string {
  if (whiteSpace === 'shown') return line
  const indentation = whiteSpace === 'aside_but_indentation' ? (/^\s*(?=\S)/.exec(line)?.[0] ?? '') : ''
  return indentation + line.replace(/\s+/g, '')
}

function interner(): (text: string) => number {
  const ids = new Map<string, number>()
  return (text) => {
    const id = ids.get(text) ?? ids.size
    ids.set(text, id)
    return id
  }
}

function within(a: string, b: string, block: Span): TokenSpan[] {
  const left = tokens(a.slice(block.fromA, block.toA))
  const right = tokens(b.slice(block.fromB, block.toB))
  const intern = interner()
  const ids = (list: Token[]) => list.map((token) => intern(token.text))
  const spans = editSpans(ids(left), ids(right), tokenEdits)
  if (spans === null || !alike(left, right, spans)) return [{ ...block, whole: true }]
  const at = (list: Token[], index: number, base: number, end: number) => {
    const token = list[index]
    return token === undefined ? end : token.from + base
  }
  return spans.map((span) => ({
    fromA: at(left, span.fromA, block.fromA, block.toA),
    toA: at(left, span.toA, block.fromA, block.toA),
    fromB: at(right, span.fromB, block.fromB, block.toB),
    toB: at(right, span.toB, block.fromB, block.toB),
    whole: false,
  }))
}

function alike(left: Token[], right: Token[], spans: Span[]): boolean {
  const solid = (list: Token[], from: number, to: number) =>
    list.slice(from, to).reduce((count, token) => count + (token.blank ? 0 : 1), 0)
  const longer = Math.max(solid(left, 0, left.length), solid(right, 0, right.length))
  const changed = spans.reduce(
    (sum, span) => sum + Math.max(solid(left, span.fromA, span.toA), solid(right, span.fromB, span.toB)),
    0,
  )
  return longer === 0 || (longer - changed) / longer >= sharedShare
}

function onlyBlank(a: string, b: string, span: Span, whiteSpace: WhiteSpace): boolean {
  const bare = (text: string) => text.replace(/\s+/g, '')
  if (bare(a.slice(span.fromA, span.toA)) !== bare(b.slice(span.fromB, span.toB))) return false
  if (whiteSpace === 'aside') return true
  return !(opensLine(a, span.fromA, span.toA) && opensLine(b, span.fromB, span.toB))
}

/** Whether `[from, to)` reaches into the white space at the start of a line that has code on it. */
function opensLine(source: string, from: number, to: number): boolean {
  const lineStart = source.lastIndexOf('\n', Math.max(from, to - 1)) + 1
  const lead = source.slice(lineStart, to)
  return /^\s*$/.test(lead) && /^[^\S\n]*\S/.test(source.slice(to))
}

import { depthOfLines, type Formatting, type Significant, significantTokens } from './formatting.ts'
import { editSpans, type Span } from './myers.ts'
import { tokens } from './tokens.ts'

/** `whole` marks a block of lines that is another text altogether: its lines differ, and no token in them more than another. */
export type TokenSpan = Span & { whole: boolean }

/** Whether layout is a difference. With it aside, `python` keeps indentation, which is code there. */
export type Layout = 'shown' | Formatting

/** Past this many differing lines the rest is one changed block: two unrelated long bodies must not freeze the window. */
const lineEdits = 800
/** Within one block of changed lines. Blocks with more are lit whole. */
const tokenEdits = 400
/** A block that shares less than this share of its tokens is another text, and lighting scattered brackets in it would only confuse. */
const sharedShare = 0.4
/**
 * Characters, both texts together, that differ at all (what is equal at the start and the end costs next to nothing): more is not matched line
 * by line, and of one block more than the second not token by token. At 1 MB matching takes 0.2 s; no body of a run comes near either.
 */
const mostMatched = 1_000_000
const mostSplit = 120_000

/**
 * What differs between two bodies, in whole tokens: lines are matched first, then the tokens inside each block of changed lines, so that
 * `<` against `<=` lights exactly those. Positions are characters.
 *
 * @param layout other than `shown` leaves out what only the layout makes different: white space, broken lines, trailing commas.
 */
export function tokenDiff(a: string, b: string, layout: Layout = 'shown'): TokenSpan[] {
  const differing = differingLines(a, b)
  if (differing === null) return []
  const sizes = differing.toA - differing.fromA + differing.toB - differing.fromB
  if (sizes > mostMatched) return [{ ...differing, whole: true }]
  const inside = lineBlocks(a, b, differing, layout)
  const depths = layout === 'python' ? { a: depthOfLines(a), b: depthOfLines(b) } : null
  return inside.flatMap((block) => within(a, b, block, layout, depths))
}

/** How many tokens, white space apart, would have to change to make one body the other; for "the nearest". Estimated where very much differs. */
export function tokenDistance(a: string, b: string): number {
  const differing = differingLines(a, b)
  if (differing === null) return 0
  const [left, right] = [a.slice(differing.fromA, differing.toA), b.slice(differing.fromB, differing.toB)]
  if (left.length + right.length > mostSplit)
    return Math.round(Math.max(left.length, right.length) / charsPerToken)
  const intern = interner()
  const solid = (source: string) =>
    tokens(source)
      .filter((token) => !token.blank)
      .map((token) => intern(token.text))
  const idsA = solid(left)
  const idsB = solid(right)
  const spans = editSpans(idsA, idsB, tokenEdits * 4)
  if (spans === null) return Math.max(idsA.length, idsB.length)
  return spans.reduce((sum, span) => sum + Math.max(span.toA - span.fromA, span.toB - span.fromB), 0)
}

/** Of program text, white space included. */
const charsPerToken = 4

/** All but the whole lines that both texts have at their start and at their end; null where they are one text. */
function differingLines(a: string, b: string): Span | null {
  if (a === b) return null
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && a.charCodeAt(start) === b.charCodeAt(start)) start += 1
  // A search from before the text would still look at its first character.
  start = start === 0 ? 0 : a.lastIndexOf('\n', start - 1) + 1
  let end = 0
  while (end < most - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end += 1
  // Back to the start of a line in both, as the last character that differs may stand in the middle of one.
  while (end > 0 && !(opensLine(a, a.length - end) && opensLine(b, b.length - end))) end -= 1
  return { fromA: start, toA: a.length - end, fromB: start, toB: b.length - end }
}

const opensLine = (text: string, at: number) => at === 0 || text.charCodeAt(at - 1) === 10

/** Blocks of differing lines, in characters. */
function lineBlocks(a: string, b: string, { fromA, toA, fromB, toB }: Span, layout: Layout): Span[] {
  const linesA = lines(a, fromA, toA)
  const linesB = lines(b, fromB, toB)
  const intern = interner()
  const key = (line: string) => intern(lineKey(line, layout))
  const blocks = editSpans(
    linesA.map((line) => key(line.text)),
    linesB.map((line) => key(line.text)),
    lineEdits,
  ) ?? [{ fromA: 0, toA: linesA.length, fromB: 0, toB: linesB.length }]
  return blocks.map((block) => ({
    fromA: linesA[block.fromA]?.from ?? toA,
    toA: linesA[block.toA]?.from ?? toA,
    fromB: linesB[block.fromB]?.from ?? toB,
    toB: linesB[block.toB]?.from ?? toB,
  }))
}

/** Lines with their line break, so that together they are the whole text. */
function lines(source: string, from: number, to: number): { from: number; text: string }[] {
  return Array.from(source.slice(from, to).matchAll(/[^\n]*\n|[^\n]+$/g), (match) => ({
    from: from + match.index,
    text: match[0],
  }))
}

function lineKey(line: string, layout: Layout): string {
  if (layout === 'shown') return line
  const indentation = layout === 'python' ? (/^\s*(?=\S)/.exec(line)?.[0] ?? '') : ''
  return (
    indentation + line.replace(spaces, (_, text?: string, word?: string) => text ?? (word ? `${word} ` : ''))
  )
}

/** White space, but not that of a string; between two words one space is left. */
const spaces = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(\w)\s+(?=\w)|\s+/g

function interner(): (text: string) => number {
  const ids = new Map<string, number>()
  return (text) => {
    const id = ids.get(text) ?? ids.size
    ids.set(text, id)
    return id
  }
}

type Depths = { a: (offset: number) => number; b: (offset: number) => number }

function within(a: string, b: string, block: Span, layout: Layout, depths: Depths | null): TokenSpan[] {
  if (block.toA - block.fromA + block.toB - block.fromB > mostSplit) return [{ ...block, whole: true }]
  const split = (text: string, from: number, to: number, depth: Depths['a'] | undefined) =>
    layout === 'shown'
      ? tokens(text.slice(from, to)).map((token) => ({
          from: token.from + from,
          to: token.to + from,
          key: token.text,
        }))
      : significantTokens(text.slice(from, to), layout, from, depth)
  const left = split(a, block.fromA, block.toA, depths?.a)
  const right = split(b, block.fromB, block.toB, depths?.b)
  const intern = interner()
  const ids = (list: Significant[]) => list.map((token) => intern(token.key))
  const spans = editSpans(ids(left), ids(right), tokenEdits)
  if (spans === null || !alike(left, right, spans)) return [{ ...block, whole: true }]
  return spans.map((span) => {
    const [fromA, toA] = placeOf(left, span.fromA, span.toA, block.fromA)
    const [fromB, toB] = placeOf(right, span.fromB, span.toB, block.fromB)
    return { fromA, toA, fromB, toB, whole: false }
  })
}

/** From the first to the last of the tokens; where there is none, behind the one before. */
function placeOf(list: Significant[], from: number, to: number, start: number): [number, number] {
  const first = list[from]
  const last = list[to - 1]
  if (from < to && first && last) return [first.from, last.to]
  const before = list[from - 1]?.to ?? start
  return [before, before]
}

function alike(left: Significant[], right: Significant[], spans: Span[]): boolean {
  const solid = (list: Significant[], from: number, to: number) =>
    list.slice(from, to).reduce((count, { key }) => count + (/^\s*$/.test(key) ? 0 : 1), 0)
  const longer = Math.max(solid(left, 0, left.length), solid(right, 0, right.length))
  const changed = spans.reduce(
    (sum, span) => sum + Math.max(solid(left, span.fromA, span.toA), solid(right, span.fromB, span.toB)),
    0,
  )
  return longer === 0 || (longer - changed) / longer >= sharedShare
}

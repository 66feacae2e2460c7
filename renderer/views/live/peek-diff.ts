import { tokenDiff } from '#shared/diff/token-diff.ts'

/** One line of the small diff: a run of pieces, of which the lit ones differ. */
export type PeekLine = { sign: ' ' | '-' | '+'; pieces: { text: string; lit: boolean }[] }

const context = 2
const mostLines = 11
/** A body that differs in more places, or in more of its characters, is another program: its first difference would say nothing. */
const mostPlaces = 4
const mostShare = 0.3

/**
 * The first place where a body differs from the reference, with a little around it: `-` lines are the body's, `+` lines the reference's.
 * The function's beginning where they
 * are equal, where they are different programs, or where there is no reference.
 */
export function peekDiff(body: string, reference: string | null): PeekLine[] {
  const spans = reference === null ? [] : tokenDiff(body, reference, 'aside_but_indentation')
  const differing = spans.reduce((sum, { fromA, toA }) => sum + toA - fromA, 0)
  const [span] = spans
  const lines = linesOf(body)
  const other = spans.length > mostPlaces || differing > mostShare * body.length
  if (!span || reference === null || other) {
    const start = Math.max(
      0,
      lines.findIndex((line) => /^\s*(async )?(def|fn|function|pub) /.test(line.text)),
    )
    return lines
      .slice(start, start + mostLines)
      .map((line) => ({ sign: ' ', pieces: [{ text: line.text, lit: false }] }))
  }
  const others = linesOf(reference)
  const first = lineAt(lines, span.fromA)
  const last = Math.max(first, lineAt(lines, Math.max(span.fromA, span.toA - 1)))
  const otherFirst = lineAt(others, span.fromB)
  const otherLast = Math.max(otherFirst, lineAt(others, Math.max(span.fromB, span.toB - 1)))
  const plain = (line: Line): PeekLine => ({ sign: ' ', pieces: [{ text: line.text, lit: false }] })
  return [
    ...lines.slice(Math.max(0, first - context), first).map(plain),
    ...lines
      .slice(first, last + 1)
      .map((line) => ({ sign: '-' as const, pieces: cut(line, span.fromA, span.toA) })),
    ...others
      .slice(otherFirst, otherLast + 1)
      .map((line) => ({ sign: '+' as const, pieces: cut(line, span.fromB, span.toB) })),
    ...lines.slice(last + 1, last + 1 + context).map(plain),
  ].slice(0, mostLines)
}

/** The same lines without the indentation that all of them have: the column is narrow. */
export function dedent(lines: PeekLine[]): PeekLine[] {
  const indents = lines.flatMap(({ pieces }) => {
    const text = pieces.map((piece) => piece.text).join('')
    return text.trim() === '' ? [] : [text.length - text.trimStart().length]
  })
  const common = Math.min(
    ...indents,
    ...lines.map(({ pieces }) => (pieces[0]?.lit ? 0 : Number.POSITIVE_INFINITY)),
  )
  if (!Number.isFinite(common) || common === 0) return lines
  return lines.map(({ sign, pieces: [first, ...rest] }) => ({
    sign,
    pieces: first ? [{ ...first, text: first.text.slice(common) }, ...rest] : [],
  }))
}

type Line = { from: number; text: string }

function linesOf(source: string): Line[] {
  let from = 0
  return source.split('\n').map((text) => {
    const line = { from, text }
    from += text.length + 1
    return line
  })
}

const lineAt = (lines: Line[], position: number): number =>
  Math.max(
    0,
    lines.findLastIndex((line) => line.from <= position),
  )

/** A line cut where what differs begins and ends. */
function cut({ from, text }: Line, litFrom: number, litTo: number): PeekLine['pieces'] {
  const start = Math.min(text.length, Math.max(0, litFrom - from))
  const end = Math.min(text.length, Math.max(start, litTo - from))
  return [
    { text: text.slice(0, start), lit: false },
    { text: text.slice(start, end), lit: true },
    { text: text.slice(end), lit: false },
  ].filter((piece) => piece.text !== '')
}

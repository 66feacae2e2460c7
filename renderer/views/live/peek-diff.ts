import type { Span } from '#shared/diff/myers.ts'
import { tokenDiff } from '#shared/diff/token-diff.ts'

/** One line of the small diff: a run of pieces, of which the lit ones differ. */
export type PeekLine = { sign: ' ' | '-' | '+'; pieces: { text: string; lit: boolean }[] }

const context = 2
const mostLines = 11
/** A body that differs in more places, or in more of its characters, is another program: its first difference would say nothing. */
const mostPlaces = 3
const mostShare = 0.35

/**
 * The first place where a body differs from the reference, with a little around it: `-` lines are the body's, `+` lines the reference's.
 * The function's beginning where they
 * are equal, where they are different programs, or where there is no reference.
 */
export function peekDiff(body: string, reference: string | null): PeekLine[] {
  const spans = reference === null ? [] : tokenDiff(body, reference, 'python')
  const differing = spans.reduce((sum, { fromA, toA }) => sum + toA - fromA, 0)
  const span = spans[0] && slid(spans[0], body, reference ?? '')
  const lines = linesOf(body)
  const other = spans.length > mostPlaces || differing > mostShare * body.length
  if (!span || reference === null || other) {
    const start = Math.max(
      0,
      lines.findIndex((line) => /^\s*(async )?(def|fn|function|pub) /.test(line.text)),
    )
    return tidy(lines.slice(start, start + mostLines).map(plain))
  }
  const others = linesOf(reference)
  const [from, to] = changed(lines, span.fromA, span.toA)
  const [otherFrom, otherTo] = changed(others, span.fromB, span.toB)
  return tidy([
    ...lines.slice(Math.max(0, from - context), from).map(plain),
    ...lines.slice(from, to).map((line) => ({ sign: '-' as const, pieces: cut(line, span.fromA, span.toA) })),
    ...others
      .slice(otherFrom, otherTo)
      .map((line) => ({ sign: '+' as const, pieces: cut(line, span.fromB, span.toB) })),
    ...lines.slice(to, to + context).map(plain),
  ])
}

const plain = (line: Line): PeekLine => ({ sign: ' ', pieces: [{ text: line.text, lit: false }] })

/** Lines taken out or put in, as whole lines: a span from line end to line end is the same as one from line start to line start. */
function slid(span: Span, body: string, reference: string): Span {
  const out = span.fromB === span.toB && body[span.fromA] === '\n' && body[span.toA] === '\n'
  const put = span.fromA === span.toA && reference[span.fromB] === '\n' && reference[span.toB] === '\n'
  if (!out && !put) return span
  return { fromA: span.fromA + 1, toA: span.toA + 1, fromB: span.fromB + 1, toB: span.toB + 1 }
}

/** The lines that a span touches, as `[from, to)`: none where it is empty and stands between two lines. */
function changed(lines: Line[], from: number, to: number): [number, number] {
  const first = lineAt(lines, from)
  if (from === to && lines[first]?.from === from) return [first, first]
  return [first, lineAt(lines, Math.max(from, to - 1)) + 1]
}

/** Without blank lines at its ends, and no longer than the column has room for. */
function tidy(lines: PeekLine[]): PeekLine[] {
  const blank = ({ pieces }: PeekLine) => pieces.every((piece) => piece.text.trim() === '')
  const from = lines.findIndex((line) => !blank(line))
  const to = lines.findLastIndex((line) => !blank(line)) + 1
  return lines.slice(Math.max(0, from), to).slice(0, mostLines)
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

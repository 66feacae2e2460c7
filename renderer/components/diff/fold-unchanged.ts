import {
  ensureSyntaxTree,
  foldEffect,
  foldedRanges,
  foldNodeProp,
  unfoldAll,
  unfoldEffect,
} from '@codemirror/language'
import type { MergeView } from '@codemirror/merge'
import type { EditorState, Extension, StateEffect } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Equal lines that stay beside a change, and how many it takes to be worth folding. */
const margin = 3
const fewest = 4
/** For the syntax of one side, ms; and how far into a text it is asked for at all: a parser gives the time back in steps that may be long. */
const parseMs = 40
const parsedChars = 120_000

type Node = ReturnType<NonNullable<ReturnType<typeof ensureSyntaxTree>>['resolveInner']>

/** Whole lines, counted from 1, both included. */
type Lines = { first: number; last: number }
type Stretch = Lines & { beforeChange: boolean; afterChange: boolean; next: number }

/**
 * Folds what is equal on both sides, but for the lines that open a block with a change in it: of a function that changes in its middle, its
 * head and those of the loops and branches around the change stay. A stretch that is shown again on one side is on the other too.
 * @returns what folds everything again, or shows it.
 */
export function foldUnchanged(view: MergeView): { fold(): void; unfold(): void } {
  const folds = { a: foldsOf(view, 'a'), b: foldsOf(view, 'b') }
  const fold = () => {
    for (const side of ['a', 'b'] as const)
      view[side].dispatch({
        effects: folds[side].map((lines) => foldEffect.of(rangeOf(view[side].state, lines))),
      })
  }
  fold()
  return { fold, unfold: () => [view.a, view.b].forEach((one) => void unfoldAll(one)) }
}

/** Shows in the other pane too what is shown again in one. Two lists of folds that do not match are left alone. */
export function unfoldTogether(other: () => EditorView | undefined): Extension {
  return EditorView.updateListener.of(({ transactions, startState }) => {
    const opened = transactions.flatMap(({ effects }) => effects.filter((one) => one.is(unfoldEffect)))
    const twin = other()
    if (opened.length === 0 || !twin) return
    const effects = opened.flatMap((one) => twinOf(one, startState, twin.state))
    // Not while this update is under way; and what is open over there already is no fold that could be shown.
    if (effects.length > 0) queueMicrotask(() => twin.dispatch({ effects }))
  })
}

function twinOf(
  { value }: StateEffect<{ from: number; to: number }>,
  here: EditorState,
  there: EditorState,
): StateEffect<{ from: number; to: number }>[] {
  const [mine, theirs] = [foldedIn(here), foldedIn(there)]
  const place = mine.findIndex(({ from }) => from === value.from)
  const twin = mine.length === theirs.length ? theirs[place] : undefined
  return twin ? [unfoldEffect.of(twin)] : []
}

function foldedIn(state: EditorState): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = []
  foldedRanges(state).between(0, state.doc.length, (from, to) => void found.push({ from, to }))
  return found
}

function foldsOf(view: MergeView, side: 'a' | 'b'): Lines[] {
  const { state } = view[side]
  return stretches(view, side).flatMap((stretch) => {
    const first = stretch.first + (stretch.afterChange ? margin : 0)
    const last = stretch.last - (stretch.beforeChange ? margin : 0)
    const heads = stretch.beforeChange ? headsOf(state, stretch.next) : []
    return split(
      { first, last },
      heads.filter((line) => line >= first && line <= last),
    )
  })
}

/** Where both sides are equal: between the chunks, before the first and behind the last. */
function stretches(view: MergeView, side: 'a' | 'b'): Stretch[] {
  const { doc } = view[side].state
  const lineAt = (at: number) => doc.lineAt(Math.min(at, doc.length)).number
  const found: Stretch[] = []
  let first = 1
  let afterChange = false
  for (const chunk of view.chunks) {
    const [from, to, end] =
      side === 'a' ? [chunk.fromA, chunk.toA, chunk.endA] : [chunk.fromB, chunk.toB, chunk.endB]
    const start = lineAt(from)
    found.push({ first, last: start - 1, beforeChange: true, afterChange, next: Math.min(from, doc.length) })
    first = to > from ? lineAt(end) + 1 : start
    afterChange = true
  }
  found.push({ first, last: doc.lines, beforeChange: false, afterChange, next: doc.length })
  return found
}

/** Lines that open a block around `at`, the outermost first: by the syntax, or by their indentation where the text is too long to be parsed now. */
function headsOf(state: EditorState, at: number): number[] {
  const tree = at > parsedChars ? null : ensureSyntaxTree(state, at, parseMs)
  if (tree === null) return lessIndented(state, at)
  const lines = new Set<number>()
  for (let node: Node | null = tree.resolveInner(at, 1); node; node = node.parent)
    if (node.type.prop(foldNodeProp) && node.from < at) lines.add(state.doc.lineAt(node.from).number)
  return [...lines].sort((a, b) => a - b)
}

/** Lines looked back over; a block that is longer has no head in view. */
const mostLines = 2000

function lessIndented({ doc }: EditorState, at: number): number[] {
  const columns = (text: string) => (/\S/.test(text) ? text.search(/\S/) : Number.POSITIVE_INFINITY)
  const start = doc.lineAt(at)
  let least = columns(start.text)
  const lines: number[] = []
  for (
    let number = start.number - 1;
    number > Math.max(0, start.number - mostLines) && least > 0;
    number -= 1
  ) {
    const found = columns(doc.line(number).text)
    if (found < least) {
      least = found
      lines.unshift(number)
    }
  }
  return lines
}

/** `lines` without the heads, in pieces that are worth folding. */
function split({ first, last }: Lines, heads: number[]): Lines[] {
  const pieces: Lines[] = []
  let from = first
  for (const head of [...heads, last + 1]) {
    if (head - from >= fewest) pieces.push({ first: from, last: head - 1 })
    from = head + 1
  }
  return pieces
}

const rangeOf = ({ doc }: EditorState, { first, last }: Lines) => ({
  from: doc.line(first).from,
  to: doc.line(last).to,
})

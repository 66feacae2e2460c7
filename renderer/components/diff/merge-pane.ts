import { Change, goToNextChunk, goToPreviousChunk, MergeView } from '@codemirror/merge'
import { type Extension, RangeSet } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'
import { type Layout, type TokenSpan, tokenDiff } from '#shared/diff/token-diff.ts'
import { isWrappable, readOnlyCode } from '../code/editor.ts'
import { foldUnchanged, unfoldTogether } from './fold-unchanged.ts'
import { hangingIndent } from './hanging-indent.ts'

export type DiffInput = {
  left: { text: string; label: string }
  right: { text: string; label: string }
  language: string
  formattingAside: boolean
}

export type DiffPane = {
  /** Blocks of lines that differ. */
  blocks: number
  /** Folds what is equal, as it is at first; or shows all of it. */
  fold(): void
  unfold(): void
  next(): void
  previous(): void
  destroy(): void
}

/** Draws two bodies side by side in `parent`, changed tokens lit, what is equal folded away but for the blocks that hold a change. */
export function openDiff(
  parent: HTMLElement,
  { left, right, language, formattingAside }: DiffInput,
): DiffPane {
  const layout: Layout = !formattingAside ? 'shown' : language === 'python' ? 'python' : 'other'
  const spans = tokenDiff(left.text, right.text, layout)
  const side = ({ text, label }: DiffInput['left'], lit: Extension) => ({
    doc: text,
    // Wrapped, so that a change at the end of a long line is never out of sight.
    extensions: [
      ...readOnlyCode(language, label, text.length),
      ...(isWrappable(text) ? [hangingIndent] : []),
      changes,
      lit,
    ],
  })
  const view: MergeView = new MergeView({
    parent,
    a: side(left, [litTokens(spans, 'A'), unfoldTogether(() => view.b)]),
    b: side(right, [litTokens(spans, 'B'), unfoldTogether(() => view.a)]),
    gutter: false,
    // Lit here instead: the library would light every character of a block that is another text altogether.
    highlightChanges: false,
    diffConfig: {
      override: () => spans.map((span) => new Change(span.fromA, span.toA, span.fromB, span.toB)),
    },
  })
  const equal = foldUnchanged(view)
  return {
    fold: equal.fold,
    unfold: equal.unfold,
    blocks: view.chunks.length,
    next: () => void goToNextChunk(view.a),
    previous: () => void goToPreviousChunk(view.a),
    destroy: () => view.destroy(),
  }
}

function litTokens(spans: TokenSpan[], side: 'A' | 'B'): Extension {
  const mark = Decoration.mark({ class: `cm-lit${side}` })
  const ranges = spans
    .filter((span) => !span.whole)
    .map((span) => (side === 'A' ? { from: span.fromA, to: span.toA } : { from: span.fromB, to: span.toB }))
    .filter(({ from, to }) => from < to)
    .map(({ from, to }) => mark.range(from, to))
  return EditorView.decorations.of(RangeSet.of(ranges))
}

// One ink on the lit ground: keyword and string colours do not hold 4.5:1 there.
const changes = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, &.cm-merge-a .cm-deletedChunk': { backgroundColor: 'var(--removed)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added)' },
  '.cm-litA, .cm-litB, .cm-litA *, .cm-litB *': { color: 'var(--text)' },
  '.cm-litA': {
    background: 'color-mix(in srgb, var(--bad) 42%, transparent)',
    borderRadius: '2px',
  },
  '.cm-litB': {
    background: 'color-mix(in srgb, var(--good) 42%, transparent)',
    borderRadius: '2px',
  },
})

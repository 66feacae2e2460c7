import { python } from '@codemirror/lang-python'
import { rust } from '@codemirror/lang-rust'
import { codeFolding, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Longer texts are shown without colours: their parser works for seconds, and no verifier takes a body of that length (256 KiB). */
const colouredChars = 400_000

/**
 * What every code pane is made of: read-only, numbered, coloured by the theme's custom properties (so a change of theme needs no new
 * editor), foldable by syntax. `length` is that of the text. This module pulls in CodeMirror: import it only through a dynamic `import()`.
 */
export function readOnlyCode(language: string, label: string, length: number): Extension[] {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
    lineNumbers(),
    drawSelection(),
    codeFolding({ preparePlaceholder: countLines, placeholderDOM: foldedLines }),
    foldGutter({ openText: '▾', closedText: '▸' }),
    syntaxHighlighting(colours),
    look,
    ...(length > colouredChars ? [] : syntaxOf(language)),
  ]
}

/** Whether lines may be wrapped: of a line that is longer only what is in view is drawn, which wrapping would undo. */
export const isWrappable = (text: string): boolean => !/[^\n]{20000}/.test(text)

const countLines = ({ doc }: EditorState, { from, to }: { from: number; to: number }): number =>
  doc.lineAt(to).number - doc.lineAt(from).number + (doc.lineAt(from).from === from ? 1 : 0)

/** In the place of folded lines: how many they are; a click shows them. */
function foldedLines(_: EditorView, onClick: (event: Event) => void, count: number): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'cm-foldPlaceholder'
  button.textContent = `⋯ ${count} ${count === 1 ? 'line' : 'lines'}`
  button.title = 'Show them'
  button.onclick = onClick
  return button
}

function syntaxOf(language: string): Extension[] {
  if (language === 'python') return [python()]
  if (language === 'rust') return [rust()]
  return []
}

// Muted on purpose: in a diff the difference is what must stand out, not the keywords.
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--passed)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--third)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.className, tags.macroName], color: 'var(--second)' },
])

const look = EditorView.theme({
  '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '6px 0' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--dim)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '30px', padding: '0 4px 0 8px' },
  '.cm-foldGutter .cm-gutterElement': { width: '11px', cursor: 'pointer', fontSize: '9px', opacity: '0' },
  '&:hover .cm-foldGutter .cm-gutterElement': { opacity: '1' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--raise)',
    border: '1px solid var(--line)',
    borderRadius: '4px',
    padding: '0 7px',
    color: 'var(--dim)',
    fontSize: '11px',
    cursor: 'pointer',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
})

import { python } from '@codemirror/lang-python'
import { rust } from '@codemirror/lang-rust'
import { codeFolding, foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/**
 * What every code pane is made of: read-only, numbered, coloured by the theme's custom properties (so a change of theme needs no new
 * editor), foldable by syntax. This module pulls in CodeMirror: import it only through a dynamic `import()`.
 */
export function readOnlyCode(language: string, label: string): Extension[] {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-readonly': 'true' }),
    lineNumbers(),
    drawSelection(),
    codeFolding(),
    foldGutter({ openText: '▾', closedText: '▸' }),
    syntaxHighlighting(colours),
    look,
    ...syntaxOf(language),
  ]
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
    color: 'var(--dim)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
})

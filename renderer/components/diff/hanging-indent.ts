import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Columns that a wrapped line's continuation stands further in than the line itself. */
const extra = 2
const tabColumns = 4

/** Wraps long lines so that their continuation keeps their indentation: in narrow panes code stays readable as code. */
export const hangingIndent = [
  EditorView.lineWrapping,
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = indented(view)
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.decorations = indented(update.view)
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
]

function indented(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at)
      const lead = /^\s*/.exec(line.text)?.[0].replaceAll('\t', ' '.repeat(tabColumns)).length ?? 0
      const columns = lead + extra
      const style = `padding-left:calc(6px + ${columns}ch);text-indent:-${columns}ch`
      builder.add(line.from, line.from, Decoration.line({ attributes: { style } }))
      at = line.to + 1
    }
  }
  return builder.finish()
}

import { useEffect, useRef, useState } from 'react'
import { loadCode } from '../../app/load-code.ts'
import './code.css'

type Props = { text: string; language: string; label: string }

/** One read-only text of any length: only the lines in view are drawn. Plain until the editor is loaded. */
export function CodeView({ text, language, label }: Props) {
  const parent = useRef<HTMLDivElement>(null)
  const [ready, setReady] = useState(false)
  useEffect(() => {
    let end: (() => void) | null = null
    let ended = false
    const open = async () => {
      const [{ isWrappable, readOnlyCode }, { EditorView }] = await Promise.all([
        loadCode(() => import('./editor.ts')),
        loadCode(() => import('@codemirror/view')),
      ])
      if (ended || parent.current === null) return
      const view = new EditorView({
        parent: parent.current,
        doc: text,
        extensions: [
          ...readOnlyCode(language, label, text.length),
          ...(language === 'text' && isWrappable(text) ? [EditorView.lineWrapping] : []),
        ],
      })
      end = () => view.destroy()
      setReady(true)
    }
    open().catch(() => undefined)
    return () => {
      ended = true
      end?.()
      setReady(false)
    }
  }, [text, language, label])
  return (
    <div className="code-view">
      <div className="code-editor" ref={parent} />
      {ready ? null : <pre>{text.slice(0, 20_000)}</pre>}
    </div>
  )
}

import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { loadCode } from '../../app/load-code.ts'
import './diff.css'
import type { DiffInput, DiffPane } from './merge-pane.ts'

export type DiffHandle = { next(): void; previous(): void; toggleFolds(): void }

/** Of each text, what stands there until the editor is loaded: all that fits on a screen, and quick to lay out. */
const plainChars = 20_000

type Props = DiffInput & { handle?: Ref<DiffHandle> }

/**
 * Two bodies side by side. The editor is loaded when the first diff is looked at; until then, and if it cannot be loaded, both texts stand
 * there plainly.
 */
export function DiffView({ left, right, language, formattingAside, handle }: Props) {
  const parent = useRef<HTMLDivElement>(null)
  const pane = useRef<DiffPane | null>(null)
  const folded = useRef(true)
  const [blocks, setBlocks] = useState<number | null>(null)
  useImperativeHandle(handle, () => ({
    next: () => pane.current?.next(),
    previous: () => pane.current?.previous(),
    toggleFolds: () => {
      folded.current = !folded.current
      if (folded.current) pane.current?.fold()
      else pane.current?.unfold()
    },
  }))
  useEffect(() => {
    let ended = false
    const open = async () => {
      const { openDiff } = await loadCode(() => import('./merge-pane.ts'))
      if (ended || parent.current === null) return
      pane.current = openDiff(parent.current, {
        left: { text: left.text, label: left.label },
        right: { text: right.text, label: right.label },
        language,
        formattingAside,
      })
      folded.current = true
      setBlocks(pane.current.blocks)
    }
    open().catch(() => undefined)
    return () => {
      ended = true
      pane.current?.destroy()
      pane.current = null
      setBlocks(null)
    }
  }, [left.text, left.label, right.text, right.label, language, formattingAside])
  return (
    <div className="diff">
      <div className="diff-captions">
        <span>
          <b>{left.label}</b>
        </span>
        <span>
          <b>{right.label}</b>
          <small role="status">
            {blocks === null ? '' : sayDifference(blocks, left.text === right.text, formattingAside)}
          </small>
        </span>
      </div>
      <div className="diff-panes" ref={parent} />
      {blocks === null ? (
        <div className="diff-plain">
          <pre>{left.text.slice(0, plainChars)}</pre>
          <pre>{right.text.slice(0, plainChars)}</pre>
        </div>
      ) : null}
    </div>
  )
}

function sayDifference(blocks: number, equal: boolean, formattingAside: boolean): string {
  if (equal) return 'the same text'
  if (blocks === 0) return formattingAside ? 'the same but for formatting' : 'the same text'
  return `differs in ${blocks} ${blocks === 1 ? 'place' : 'places'}`
}

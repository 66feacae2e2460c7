import { Copy } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { BoxView } from '#shared/ipc/contract.ts'
import { loadCode } from '../../app/load-code.ts'
import { copyText } from '../../components/terminal/copy-text.ts'
import { FindBar } from '../../components/terminal/find-bar.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { useTheme } from '../../theme/theme.ts'
import type { OpenShell, ShellEnd } from './open-shell.ts'

/**
 * An interactive shell on the box. What is pasted in several lines is shown and confirmed before any of it runs. Where the link breaks, another shell
 * begins below, once the box is there again.
 */
export function ShellPane({ box, onClose }: { box: BoxView; onClose: () => void }) {
  const parent = useRef<HTMLDivElement>(null)
  const { open, ended, fault, paste, setPaste, matches } = useShell(box, parent)
  const [search, setSearch] = useState('')
  const said = fault ? `${fault.message} ${fault.hint}` : (ended?.why ?? '')
  return (
    <section className="shell" aria-label={`Shell on ${box.name}`}>
      <header>
        <h2>Shell on {box.name}</h2>
        <span className="dim" role="status">
          {ended?.broken ? `${said} Another one begins when the box is there again.` : said}
        </span>
        <span className="shell-tools">
          <FindBar
            label="Search the shell"
            search={search}
            matches={matches}
            onSearch={(text) => {
              setSearch(text)
              open?.pane.find(text, 'previous')
            }}
            onFind={(direction) => open?.pane.find(search, direction)}
          />
          <Button onClick={() => open && copyText(open.pane.text())}>
            <Copy size={13} aria-hidden /> Copy
          </Button>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </span>
      </header>
      <div className="shell-screen" ref={parent} data-renderer={open?.pane.renderer} />
      <ConfirmDialog
        open={paste !== null}
        title="Paste several lines?"
        action="Paste"
        onConfirm={() => {
          if (paste !== null) open?.type(paste)
        }}
        onClose={() => setPaste(null)}
      >
        <p>Each line runs as it arrives.</p>
        <pre className="shell-paste">{paste?.replaceAll('\r', '\n')}</pre>
      </ConfirmDialog>
    </section>
  )
}

function useShell(box: BoxView, parent: RefObject<HTMLDivElement | null>) {
  const [open, setOpen] = useState<OpenShell | null>(null)
  const [fault, setFault] = useState<ErrorInfo | null>(null)
  const [ended, setEnded] = useState<ShellEnd | null>(null)
  const [paste, setPaste] = useState<string | null>(null)
  const [matches, setMatches] = useState({ count: 0, index: -1 })
  const theme = useTheme((state) => state.tokens)
  const firstTheme = useRef(theme)
  useEffect(() => {
    let left = false
    let mine: OpenShell | null = null
    const start = async (element: HTMLElement) => {
      const { openShell } = await loadCode(() => import('./open-shell.ts'))
      const listener = { onEnded: setEnded, onPaste: setPaste, onFault: setFault }
      mine = await openShell(element, box.id, firstTheme.current, listener)
      if (left) return mine.dispose()
      mine.pane.onMatches((count, index) => setMatches({ count, index }))
      setOpen(mine)
    }
    if (parent.current) start(parent.current).catch((thrown: unknown) => setFault(toAppError(thrown).info))
    return () => {
      left = true
      mine?.dispose()
    }
  }, [box.id, parent])
  useEffect(() => open?.pane.theme(theme), [open, theme])
  // A shell may say that its link broke before the box's own state has: only another connection counts.
  const since = useRef(box.connects)
  useEffect(() => {
    if (!ended) since.current = box.connects
  }, [ended, box.connects])
  useEffect(() => {
    if (!ended?.broken || box.state !== 'ready' || box.connects <= since.current) return
    since.current = box.connects
    setFault(null)
    open?.again().then(
      () => setEnded(null),
      (thrown: unknown) => setFault(toAppError(thrown).info),
    )
  }, [ended, box.state, box.connects, open])
  return { open, ended, fault, paste, setPaste, matches }
}

import { useEffect, useRef, useState } from 'react'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { BoxView } from '#shared/ipc/contract.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { useTheme } from '../../theme/theme.ts'
import type { OpenShell } from './open-shell.ts'

/** An interactive shell on the box. What is pasted in several lines is shown and confirmed before any of it runs. */
export function ShellPane({ box, onClose }: { box: BoxView; onClose: () => void }) {
  const parent = useRef<HTMLDivElement>(null)
  const open = useRef<OpenShell | null>(null)
  const theme = useTheme((state) => state.tokens)
  const firstTheme = useRef(theme)
  const [fault, setFault] = useState<ErrorInfo | null>(null)
  const [ended, setEnded] = useState<string | null>(null)
  const [paste, setPaste] = useState<string | null>(null)
  useEffect(() => {
    let left = false
    const start = async (element: HTMLElement) => {
      const { openShell } = await import('./open-shell.ts')
      const shell = await openShell(element, box.id, firstTheme.current, {
        onEnded: setEnded,
        onPaste: setPaste,
        onFault: setFault,
      })
      if (left) return shell.dispose()
      open.current = shell
    }
    if (parent.current) start(parent.current).catch((thrown: unknown) => setFault(toAppError(thrown).info))
    return () => {
      left = true
      open.current?.dispose()
      open.current = null
    }
  }, [box.id])
  useEffect(() => open.current?.theme(theme), [theme])
  return (
    <section className="shell" aria-label={`Shell on ${box.name}`}>
      <header>
        <h2>Shell on {box.name}</h2>
        <span className="dim">{ended ?? (fault ? `${fault.message} ${fault.hint}` : '')}</span>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </header>
      <div className="shell-screen" ref={parent} />
      <ConfirmDialog
        open={paste !== null}
        title="Paste several lines?"
        action="Paste"
        onConfirm={() => {
          if (paste !== null) open.current?.type(paste)
        }}
        onClose={() => setPaste(null)}
      >
        <p>Each line runs as it arrives.</p>
        <pre className="shell-paste">{paste?.replaceAll('\r', '\n')}</pre>
      </ConfirmDialog>
    </section>
  )
}

import { X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import './ui.css'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  width?: number
  /** Without its own head: the content brings one; the title is then only spoken. */
  bare?: boolean
}

/**
 * A modal dialog: the platform's own, which keeps the focus inside, gives it back, and closes on Escape. What is marked `data-autofocus` has
 * the focus first.
 */
export function Dialog({ open, onClose, title, children, width = 460, bare = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open === open) return
    if (!open) dialog.close()
    else {
      dialog.showModal()
      dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus()
    }
  }, [open])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click closes by the backdrop; by keyboard the platform closes on Escape
    <dialog
      ref={ref}
      className="dialog"
      style={{ width }}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      {open ? (
        <div className={bare ? undefined : 'dialog-body'}>
          {bare ? (
            <h2 id={id} className="visually-hidden">
              {title}
            </h2>
          ) : (
            <div className="dialog-head">
              <h2 id={id}>{title}</h2>
              <Button look="quiet" onClick={onClose} aria-label="Close">
                <X size={14} aria-hidden />
              </Button>
            </div>
          )}
          {children}
        </div>
      ) : null}
    </dialog>
  )
}

type ConfirmProps = {
  open: boolean
  title: string
  children: ReactNode
  action: string
  danger?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that cannot be undone; the safe answer has the focus. */
export function ConfirmDialog({ open, title, children, action, danger, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <div className="dialog-text">{children}</div>
      <div className="dialog-actions">
        <Button onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button
          look={danger ? 'danger' : 'primary'}
          onClick={() => {
            onClose()
            onConfirm()
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

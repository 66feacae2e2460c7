import { type ReactNode, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'

/** Puts a view's own content into the header bar; its first element should be the title. */
export function HeaderSlot({ children }: { children: ReactNode }) {
  return <Slot id="header-slot">{children}</Slot>
}

/** Puts a view's own line into the footer, left of the keys: what its figures follow, for example. */
export function FooterSlot({ children }: { children: ReactNode }) {
  return <Slot id="footer-slot">{children}</Slot>
}

function Slot({ id, children }: { id: string; children: ReactNode }) {
  const [target, setTarget] = useState<HTMLElement | null>(null)
  useEffect(() => setTarget(document.getElementById(id)), [id])
  return target ? createPortal(children, target) : null
}

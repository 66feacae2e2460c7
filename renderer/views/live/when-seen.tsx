import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Shown } from '../../stores/shown.ts'

/** So far outside the window a panel is drawn already, so that scrolling meets no empty ones. */
const ahead = '120px'

/** A place on the board; what is in it follows the run only while it can be seen. */
export function WhenSeen({ className, children }: { className: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(true)
  useEffect(() => {
    if (!place.current) return
    const observer = new IntersectionObserver((entries) => setSeen(entries.at(-1)?.isIntersecting ?? true), {
      rootMargin: ahead,
    })
    observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} className={className} data-seen={seen}>
      <Shown value={seen}>{children}</Shown>
    </div>
  )
}

import { CloudOff } from 'lucide-react'
import { useApp } from '../stores/app.ts'

/** Says that the core is out of reach; what is on the screen stays and is what was last known. */
export function LostBanner() {
  const lost = useApp((state) => state.lost)
  if (lost === null) return null
  return (
    <div className="lost-banner" role="alert">
      <CloudOff size={14} aria-hidden />
      <b>Connection to the core lost.</b>
      <span>{lost}</span>
    </div>
  )
}

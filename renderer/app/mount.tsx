import { createRoot } from 'react-dom/client'
import type { Bridge } from '#shared/ipc/contract.ts'
import { startSubscriptions } from '../stores/subscriptions.ts'
import '../theme/base.css'
import { applyTheme, followSystemTheme } from '../theme/theme.ts'
import { App } from './app.tsx'
import { provideCore } from './core.ts'
import { followKeys } from './keys.ts'
import { followHash } from './router.ts'

/** Draws the window into `root`, with `bridge` as its one way to the core. @returns the end of everything it started. */
export function mount(bridge: Bridge, root: HTMLElement): () => void {
  provideCore(bridge)
  applyTheme('system')
  const ends = [followSystemTheme(), followHash(), followKeys(), startSubscriptions(bridge)]
  const react = createRoot(root)
  react.render(<App />)
  return () => {
    react.unmount()
    for (const end of ends) end()
  }
}

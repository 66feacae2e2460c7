import { z } from 'zod'
import type { Bridge } from '#shared/ipc/contract.ts'
import { bridgePath } from '#shared/ipc/wire.ts'
import { SocketBridge } from './socket-bridge.ts'

declare global {
  interface Window {
    /** Put there by the preload in the Electron window; absent in a browser. */
    ringside?: Bridge
  }
}

// The strict content policy forbids code from strings; without this zod tries once and the refusal shows up in the console.
z.config({ jitless: true })

/** The window's way to the core: the preload's where there is one, else a WebSocket to the origin that served the page. */
export function createBridge(): Bridge {
  if (window.ringside) return window.ringside
  const url = new URL(bridgePath, window.location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return new SocketBridge(url.href)
}

import type { EventEmitter } from 'node:events'

type Handler = (event: unknown, ...args: unknown[]) => unknown
type Contents = EventEmitter & {
  mainFrame: { url: string }
  openHandler(details: { url: string }): unknown
  send(channel: string, ...args: unknown[]): void
}

/** What the program under test asked of Electron, for the test to read and to call back. */
export const record = {
  /** Whether this process is the first instance. */
  lock: true,
  calls: [] as string[],
  paths: {} as Record<string, string>,
  windowOptions: null as unknown,
  window: null as (EventEmitter & { webContents: Contents }) | null,
  handlers: new Map<string, Handler>(),
  session: new Map<string, Handler>(),
  exposed: new Map<string, object>(),
}

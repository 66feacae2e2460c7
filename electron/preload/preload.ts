import { contextBridge, ipcRenderer } from 'electron'
import { eventChannel, requestChannel } from '#shared/ipc/channels.ts'
import type { Bridge } from '#shared/ipc/contract.ts'

type Listener = (payload: unknown) => void

const listeners = new Map<string, Set<Listener>>()

// The sender's event object stays here: it would hand `ipcRenderer` to the page.
ipcRenderer.on(eventChannel, (_event, name: string, payload: unknown) => {
  for (const listener of [...(listeners.get(name) ?? [])]) listener(payload)
})

/** All that the page gets: names and inputs are checked by the core, which trusts no window. */
const bridge: Bridge = {
  request: (name, input) => ipcRenderer.invoke(requestChannel, name, input),
  on: (name, listener) => {
    const set = listeners.get(name) ?? new Set()
    listeners.set(name, set)
    set.add(listener as Listener)
    return () => {
      set.delete(listener as Listener)
    }
  },
}

contextBridge.exposeInMainWorld('ringside', bridge)

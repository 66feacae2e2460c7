import { EventEmitter } from 'node:events'
import { record } from './record.ts'

/**
 * Stands in for the `electron` module where its binary cannot be had, so that the built main and preload run for real against it. It
 * shows what they ask of Electron and lets a test play Electron's part; it proves wiring, not windows. What the real module's types say
 * is checked by the compiler, over the same sources.
 */
class App extends EventEmitter {
  private paths = new Map<string, string>()
  quits = 0
  setPath(name: string, path: string) {
    this.paths.set(name, path)
    record.paths[name] = path
  }
  getVersion = () => '0.0.0-stand-in'
  requestSingleInstanceLock = () => record.lock
  whenReady = () => Promise.resolve()
  quit() {
    this.quits += 1
    record.calls.push('app.quit')
  }
  exit(code: number) {
    record.calls.push(`app.exit ${code}`)
  }
}

class WebContents extends EventEmitter {
  readonly mainFrame = { url: '' }
  openHandler: (details: { url: string }) => unknown = () => ({ action: 'allow' })
  setWindowOpenHandler(handler: (details: { url: string }) => unknown) {
    this.openHandler = handler
  }
  getURL = () => this.mainFrame.url
  isDestroyed = () => false
  send(channel: string, ...args: unknown[]) {
    ipcRenderer.emit(channel, { sender: ipcRenderer }, ...args.map((arg) => structuredClone(arg)))
  }
}

export class BrowserWindow extends EventEmitter {
  readonly webContents = new WebContents()
  constructor(options: unknown) {
    super()
    record.windowOptions = options
    record.window = this
    app.emit('web-contents-created', {}, this.webContents)
  }
  async loadURL(url: string) {
    this.webContents.mainFrame.url = url
    record.calls.push(`loadURL ${url}`)
    this.emit('ready-to-show')
  }
  show = () => record.calls.push('show')
  focus = () => record.calls.push('focus')
  restore = () => record.calls.push('restore')
  isMinimized = () => true
}

type Handler = (event: unknown, ...args: unknown[]) => unknown

export const app = new App()

export const ipcMain = {
  handle: (channel: string, handler: Handler) => record.handlers.set(channel, handler),
  removeHandler: (channel: string) => record.handlers.delete(channel),
}

/** The page's end: what it invokes reaches the main handlers as its window's main frame, by copy, as in Electron. */
export const ipcRenderer = Object.assign(new EventEmitter(), {
  invoke: async (channel: string, ...args: unknown[]) => {
    const sender = record.window?.webContents
    const event = { sender, senderFrame: sender?.mainFrame }
    const handler = record.handlers.get(channel)
    return structuredClone(await handler?.(event, ...args.map((arg) => structuredClone(arg))))
  },
})

export const contextBridge = {
  exposeInMainWorld: (name: string, api: object) => record.exposed.set(name, api),
}

const refusing = Object.assign(new EventEmitter(), {
  setPermissionRequestHandler: (handler: Handler) => record.session.set('permission', handler),
  setPermissionCheckHandler: (handler: Handler) => record.session.set('check', handler),
  setDevicePermissionHandler: (handler: Handler) => record.session.set('device', handler),
  webRequest: { onBeforeRequest: (handler: Handler) => record.session.set('request', handler) },
  protocol: { handle: (scheme: string, handler: Handler) => record.session.set(`scheme ${scheme}`, handler) },
})
export const session = { defaultSession: refusing }

export const protocol = {
  registerSchemesAsPrivileged: (schemes: unknown) => record.calls.push(`schemes ${JSON.stringify(schemes)}`),
}

export const dialog = {
  showErrorBox: (title: string, content: string) => record.calls.push(`error box: ${title} ${content}`),
}

export const powerMonitor = new EventEmitter()

export const Menu = {
  buildFromTemplate: (template: { role?: string; label?: string }[]) => template,
  setApplicationMenu: (template: { role?: string; label?: string }[]) =>
    record.calls.push(`menu ${template.map(({ role, label }) => role ?? label).join(' ')}`),
}

import { join } from 'node:path'
import { BrowserWindow } from 'electron'
import { appOrigin } from '#shared/ipc/channels.ts'

const preload = join(import.meta.filename, '../../preload/preload.cjs')

/** The console's window: an untrusted page, sandboxed, that has the Bridge and nothing else. Shown once it has something to show. */
export function createWindow(): BrowserWindow {
  const window = new BrowserWindow({
    width: 1440,
    height: 900,
    minWidth: 960,
    minHeight: 600,
    show: false,
    title: 'Ringside',
    // The dark theme's background: a white flash is what people see first otherwise.
    backgroundColor: '#0f1317',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    },
  })
  window.once('ready-to-show', () => window.show())
  void window.loadURL(`${appOrigin}/`)
  return window
}

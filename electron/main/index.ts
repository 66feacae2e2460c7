import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, type BrowserWindow, dialog, ipcMain, Menu, powerMonitor, protocol, session } from 'electron'
import { createCore } from '#services/core/core.ts'
import { dataFolder } from '#services/core/data-folder.ts'
import { toAppError } from '#shared/base/errors.ts'
import { StaticFiles } from '../serve/static-files.ts'
import { appScheme, serveApp } from './app-protocol.ts'
import { connectIpc } from './ipc.ts'
import { lockContents, lockSession } from './lock-down.ts'
import { menuTemplate } from './menu.ts'
import { createWindow } from './window.ts'

const rendererDir = join(import.meta.filename, '../../renderer')

let window: BrowserWindow | null = null

/** Opens the window, or brings the open one forward. */
function show(): void {
  if (window === null) {
    window = createWindow()
    window.on('closed', () => {
      window = null
    })
    return
  }
  if (window.isMinimized()) window.restore()
  window.focus()
}

async function start(): Promise<void> {
  const files = await StaticFiles.open(rendererDir)
  const core = await createCore({ home: dataFolder(), shell: 'electron', version: app.getVersion() })
  const disconnect = connectIpc(ipcMain, core, () => window?.webContents ?? null)
  let ended = false
  app.on('before-quit', (event) => {
    if (ended) return
    // Runs go on by themselves; only the data folder is let go, and that takes a moment.
    event.preventDefault()
    ended = true
    disconnect()
    void core.dispose().finally(() => app.quit())
  })
  await app.whenReady()
  // A link that slept may be dead without knowing it; asking at once saves the wait until it would notice.
  powerMonitor.on('resume', () => void core.parts.boxes.probeAll())
  lockSession(session.defaultSession)
  serveApp(session.defaultSession, files)
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform)))
  app.on('activate', show)
  app.on('second-instance', show)
  show()
}

// Chromium's own files get a room of the data folder. By default they would lie in its very middle on a Mac, whose file system does not
// tell Ringside from ringside; and the lock on a single instance, which lies there too, is one a data folder this way.
const chromiumDir = join(dataFolder(), 'window')
mkdirSync(chromiumDir, { recursive: true, mode: 0o700 })
app.setPath('userData', chromiumDir)

if (app.requestSingleInstanceLock()) {
  protocol.registerSchemesAsPrivileged([appScheme])
  lockContents(app)
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  start().catch(async (failure: unknown) => {
    const error = toAppError(failure)
    await app.whenReady()
    dialog.showErrorBox(error.message, error.hint)
    app.exit(error.exitCode)
  })
} else {
  app.quit()
}

import type { App, Session, WebContents } from 'electron'
import { isAppUrl } from './ipc.ts'

/** Copying text is the one permission the window needs; Chromium asks for it by this name. */
const grantable: readonly string[] = ['clipboard-sanitized-write']

/** Keeps every page of the app where it is: no navigation away, no new window, no embedded guest. */
export function lockContents(app: App): void {
  app.on('web-contents-created', (_event, contents) => lock(contents))
}

function lock(contents: WebContents): void {
  contents.on('will-navigate', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-redirect', (event) => {
    if (!isAppUrl(event.url)) event.preventDefault()
  })
  contents.on('will-frame-navigate', (event) => {
    if (!event.isMainFrame) event.preventDefault()
  })
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Refuses every permission and device, and every request that would leave the app; developer tools stay usable. */
export function lockSession(session: Session): void {
  session.setPermissionRequestHandler((contents, permission, grant) =>
    grant(grantable.includes(permission) && isAppUrl(contents.getURL())),
  )
  session.setPermissionCheckHandler(
    (_contents, permission, origin) => grantable.includes(permission) && isAppUrl(origin),
  )
  session.setDevicePermissionHandler(() => false)
  session.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: !isAppUrl(details.url) && !/^(devtools|data|blob):/.test(details.url) }),
  )
  session.on('will-download', (event) => event.preventDefault())
}

import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import type { Core } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import type { Result } from '#shared/base/result.ts'
import { appOrigin, eventChannel, requestChannel } from '#shared/ipc/channels.ts'
import { eventNames } from '#shared/ipc/contract.ts'

/**
 * Connects the window to the core: one request channel, one event channel. Every input is parsed by the core; a name that the contract
 * does not have is refused there, and a sender that is not our page's main frame is refused here.
 *
 * @param window the console's window, null while there is none.
 * @returns ends the connection.
 */
export function connectIpc(ipc: IpcMain, core: Core, window: () => WebContents | null): () => void {
  ipc.handle(requestChannel, async (event, name: unknown, input: unknown): Promise<Result<unknown>> => {
    if (!isOurs(event, window())) return refusal('unauthorized', 'This page may not speak to the console.')
    if (typeof name !== 'string') return refusal('bad_input', 'A request needs a name.')
    return await core.request(name, input)
  })
  const unsubscribes = eventNames.map((name) =>
    core.on(name, (payload) => {
      const target = window()
      if (target !== null && !target.isDestroyed()) target.send(eventChannel, name, payload)
    }),
  )
  return () => {
    ipc.removeHandler(requestChannel)
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

/** Our window's main frame, showing our page. A frame that is gone by now (`senderFrame` null) is nobody. */
function isOurs(event: IpcMainInvokeEvent, window: WebContents | null): boolean {
  const frame = event.senderFrame
  if (frame === null || window === null || event.sender !== window) return false
  return frame === window.mainFrame && isAppUrl(frame.url)
}

/** `URL.origin` is "null" for schemes of our own, so the parts are compared. */
export function isAppUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && `${url.protocol}//${url.host}` === appOrigin
}

const refusal = (code: 'unauthorized' | 'bad_input', message: string): Result<never> => ({
  ok: false,
  error: new AppError(code, message).info,
})

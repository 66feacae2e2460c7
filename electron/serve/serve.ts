import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Core } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import { Access } from './access.ts'
import { createHttpHandler } from './http.ts'
import { openSocketDoor } from './socket.ts'
import { StaticFiles } from './static-files.ts'

export type ServeOptions = {
  core: Core
  /** The built window: a folder with `index.html`. */
  rendererDir: string
  /** 0 takes a free one. */
  port: number
  log?: (line: string) => void
}

export type BrowserShell = {
  port: number
  /** A new address that opens the window once. */
  freshUrl(): string
  dispose(): Promise<void>
}

/**
 * Serves the window over loopback. The core stays the caller's: `dispose` ends the server and its windows only.
 *
 * @throws {AppError} `port_in_use`, `bad_input` where the port may not be taken, `not_found` where the window is not built.
 */
export async function serve(options: ServeOptions): Promise<BrowserShell> {
  const files = await StaticFiles.open(options.rendererDir)
  const server = createServer()
  const port = await listen(server, options.port)
  const access = new Access(port)
  server.on('request', createHttpHandler(access, files, options.log ?? (() => {})))
  server.on('clientError', (_failure, socket) => socket.destroy())
  const door = openSocketDoor(server, access, options.core, randomBytes(8).toString('hex'))
  return {
    port,
    freshUrl: () => access.freshUrl(),
    dispose: async () => {
      door.dispose()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (failure: NodeJS.ErrnoException) => reject(listenError(failure, port)))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      resolve((server.address() as AddressInfo).port),
    )
  })
}

function listenError(failure: NodeJS.ErrnoException, port: number): AppError {
  if (failure.code === 'EADDRINUSE')
    return new AppError('port_in_use', `Port ${port} on 127.0.0.1 is taken by another program.`)
  if (failure.code === 'EACCES')
    return new AppError('bad_input', `Port ${port} may not be taken by this user.`, {
      hint: 'Choose a port above 1023, or leave --port out to take a free one.',
    })
  return new AppError('internal', `Listening on 127.0.0.1:${port} failed: ${failure.message}`, {
    cause: failure,
  })
}

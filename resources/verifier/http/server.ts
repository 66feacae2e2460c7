import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '#shared/base/errors.ts'
import type { VerifierService } from '../service/verifier-service.ts'
import { admit, isLoopback } from './guard.ts'
import { replyError } from './reply.ts'
import { route } from './routes.ts'

export type ListenOptions = { host: string; port: number; token: string | null; log: (text: string) => void }

/** @throws AppError `bad_input` for a host off loopback without a token. */
export function checkReach({ host, token }: Pick<ListenOptions, 'host' | 'token'>): void {
  if (!isLoopback(host) && token === null) {
    throw new AppError('bad_input', `Listening on ${host}, beyond this machine, needs --token-file.`)
  }
}

/** Serves until disposed. @throws AppError `port_in_use`, or `bad_input` for a host that cannot be listened on. */
export async function listen(
  service: VerifierService,
  options: ListenOptions,
): Promise<{ url: string; dispose(): Promise<void> }> {
  const { host, token, log } = options
  const server = createServer((request, response) => {
    void (async () => {
      try {
        admit(request, host, token)
        await route(service, request, response)
      } catch (failure) {
        const error = replyError(response, failure)
        if (error.code === 'internal')
          log(`${request.method} ${request.url}: ${error.cause ?? error.message}`)
      }
    })()
  })
  // Longer than clients keep an idle connection, so that it is they who close it and no request meets a closing one.
  server.keepAliveTimeout = 75_000
  await new Promise<void>((listening, failed) => {
    server.once('error', (failure: NodeJS.ErrnoException) => {
      failed(
        failure.code === 'EADDRINUSE'
          ? new AppError('port_in_use', `Port ${options.port} on ${host} is in use.`)
          : new AppError('bad_input', `Cannot listen on ${host}:${options.port}: ${failure.message}.`),
      )
    })
    server.listen(options.port, host, listening)
  })
  const { address, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    dispose: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

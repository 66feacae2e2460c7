import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { AppError } from '#shared/base/errors.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)

/**
 * Lets a request in. A page in a browser can make requests to loopback under a name of its own: the Host header gives it away, and so does
 * Origin. Where there is a token, it must be there too.
 * @throws AppError `unauthorized`.
 */
export function admit(request: IncomingMessage, host: string, token: string | null): void {
  if (isLoopback(host)) {
    const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
    if (!loopbackNames.has(name) && !isLoopback(name)) {
      throw refused(`The Host header names ${name || 'nobody'}, not this machine.`)
    }
    if (request.headers.origin !== undefined) throw refused('Web pages may not call a verifier.')
  }
  // Whoever starts and stops a container asks whether it is ready, and has no token to show.
  if (token === null || isReadinessCall(request)) return
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (given === undefined || !same(given, token)) throw refused('The bearer token is missing or wrong.')
}

const isReadinessCall = ({ method, url }: IncomingMessage) => method === 'GET' && url === '/v1/ready'

const refused = (message: string) =>
  new AppError('unauthorized', message, {
    hint: 'Call it at its own address, with its token where it has one.',
  })

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

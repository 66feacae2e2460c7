import type { IncomingMessage, ServerResponse } from 'node:http'
import { contentPolicy } from '#shared/ipc/content-policy.ts'
import { sessionPath } from '#shared/ipc/wire.ts'
import type { Access } from './access.ts'
import type { StaticFiles } from './static-files.ts'

type Reply = { status: number; type?: string; body?: string | Buffer; headers?: Record<string, string> }

/** Answers the browser shell's plain requests: the token exchange, the session probe and the window's files, nothing else. */
export function createHttpHandler(access: Access, files: StaticFiles, log: (line: string) => void) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, access, files)
      .catch((failure: unknown): Reply => {
        log(`A request failed: ${failure instanceof Error ? failure.message : String(failure)}`)
        return text(500, 'The console could not read this file.')
      })
      .then((reply) => send(request, response, reply))
      .catch(() => response.destroy())
  }
}

async function answer(request: IncomingMessage, access: Access, files: StaticFiles): Promise<Reply> {
  const refusal = access.refusal(request)
  if (refusal !== null) return text(403, refusal)
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { ...text(405, 'Only GET and HEAD are answered here.'), headers: { allow: 'GET, HEAD' } }
  const { path, query } = split(request.url ?? '/')
  const token = path === '/' ? query.get('token') : null
  // A HEAD is a link checker's or a previewer's; it must not use the token up.
  if (token !== null && request.method === 'GET') return exchange(access, token, access.isKnown(request))
  if (path === sessionPath) return { status: access.isKnown(request) ? 204 : 401 }
  if (!access.isKnown(request)) return text(401, signIn)
  const file = await files.read(path)
  if (file === null) return text(404, 'There is nothing under this address.')
  const cache = file.immutable ? 'private, max-age=31536000, immutable' : 'no-store'
  return { status: 200, type: file.type, body: file.bytes, headers: { 'cache-control': cache } }
}

/** A window that is signed in may follow a used link again (reload, history): it gets the window, and no new right. */
function exchange(access: Access, token: string, known: boolean): Reply {
  const cookie = access.exchange(token)
  if (cookie === null && !known) return text(403, `This address was used already. ${signIn}`)
  // Not a redirect: after one that began on another site, a SameSite=Strict cookie would not be sent.
  // The empty icon keeps the browser from asking for one before it may.
  const body =
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><link rel="icon" href="data:,"><title>Ringside</title>'
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    body,
    headers: cookie === null ? {} : { 'set-cookie': cookie },
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const body = Buffer.from(reply.body ?? '')
  response.writeHead(reply.status, {
    'content-security-policy': contentPolicy([`ws://${request.headers.host ?? ''}`]),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    ...(reply.type === undefined ? {} : { 'content-type': reply.type }),
    ...(reply.status === 204 ? {} : { 'content-length': String(body.length) }),
    ...reply.headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Without the URL class: it would tidy `..` and escapes away, and the list of files wants the path as it was sent. */
function split(url: string): { path: string; query: URLSearchParams } {
  const at = url.indexOf('?')
  return at === -1
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) }
}

const signIn = 'Open the address that the console printed; it works once. Press Enter there for a new one.\n'

const text = (status: number, body: string): Reply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: body.endsWith('\n') ? body : `${body}\n`,
})

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Core } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import { type EventName, eventNames } from '#shared/ipc/contract.ts'
import { bridgePath, maxRequestBytes, RequestFrame, wireVersion } from '#shared/ipc/wire.ts'
import type { Access } from './access.ts'
import { EventOutbox } from './event-outbox.ts'

/** A window asks for a handful of things at once; beyond this the socket is not read until answers went out. */
const maxInFlight = 32
/** Unsent bytes after which events are held back, and after which further requests wait. */
const maxEventBacklog = 1 << 20
const maxReplyBacklog = 16 << 20
/** A few tabs; more is a loop that reconnects. */
const maxWindows = 16
const pingMs = 30_000

export type SocketDoor = { dispose(): void }

/** Opens `bridgePath` of `server` to windows that `access` knows. */
export function openSocketDoor(server: Server, access: Access, core: Core, name: string): SocketDoor {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxRequestBytes,
    perMessageDeflate: false,
  })
  const upgrade = (request: IncomingMessage, duplex: Duplex, head: Buffer) => {
    duplex.on('error', () => duplex.destroy())
    const status = refusalStatus(request, access) ?? (sockets.clients.size >= maxWindows ? 503 : null)
    if (status !== null) {
      duplex.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    sockets.handleUpgrade(request, duplex, head, (socket) => attend(socket, core, name))
  }
  server.on('upgrade', upgrade)
  const pings = setInterval(() => {
    for (const socket of sockets.clients) dropOrPing(socket)
  }, pingMs)
  pings.unref()
  return {
    dispose() {
      clearInterval(pings)
      server.off('upgrade', upgrade)
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

function refusalStatus(request: IncomingMessage, access: Access): number | null {
  if (access.refusal(request) !== null || request.headers.origin === undefined) return 403
  if (request.url !== bridgePath) return 404
  return access.isKnown(request) ? null : 401
}

const silent = new WeakSet<WebSocket>()

function dropOrPing(socket: WebSocket): void {
  if (silent.has(socket)) {
    socket.terminate()
    return
  }
  silent.add(socket)
  socket.ping()
}

function attend(socket: WebSocket, core: Core, server: string): void {
  let inFlight = 0
  // What one chunk held beyond the limit: reading stops at once, but the chunk is here.
  const waiting: RequestFrame[] = []
  const send = (frame: string) =>
    socket.send(frame, () => {
      outbox.flush()
      throttle()
    })
  const outbox = new EventOutbox(send, () => socket.bufferedAmount > maxEventBacklog)
  const throttle = () => {
    const full = inFlight >= maxInFlight || socket.bufferedAmount > maxReplyBacklog
    if (full && !socket.isPaused) socket.pause()
    if (!full && socket.isPaused) socket.resume()
  }
  const answerNext = () => {
    const frame = inFlight < maxInFlight ? waiting.shift() : undefined
    if (frame !== undefined) {
      inFlight += 1
      void core
        .request(frame.name, frame.input)
        .then((result) => send(replyText(frame.id, result)))
        .finally(() => {
          inFlight -= 1
          answerNext()
        })
    }
    throttle()
  }
  const unsubscribes = eventNames.map((name: EventName) =>
    core.on(name, (payload) => outbox.push(name, payload)),
  )
  socket.on('close', () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  })
  socket.on('error', () => socket.terminate())
  socket.on('pong', () => silent.delete(socket))
  socket.on('message', (data, isBinary) => {
    const frame = isBinary ? null : parse(String(data))
    if (frame === null) {
      socket.close(1008, 'This is no request frame.')
      return
    }
    waiting.push(frame)
    answerNext()
  })
  send(JSON.stringify({ t: 'hello', v: wireVersion, server }))
}

function parse(text: string): RequestFrame | null {
  try {
    return RequestFrame.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** A value too large for one string must not silence the request. */
function replyText(id: number, result: unknown): string {
  try {
    return JSON.stringify({ t: 'reply', id, result })
  } catch {
    const error = new AppError('too_large', 'The answer is too large to send at once.').info
    return JSON.stringify({ t: 'reply', id, result: { ok: false, error } })
  }
}

import type { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { Result } from '#shared/base/result.ts'
import type { Bridge, BridgeEvents, EventName, inputs, Outputs, RequestName } from '#shared/ipc/contract.ts'
import { type RequestFrame, ServerFrame, sessionPath } from '#shared/ipc/wire.ts'

type Listener = (payload: unknown) => void
type Pending = { frame: RequestFrame; sent: boolean; settle: (result: Result<unknown>) => void }

/** Short enough that a restarted shell is found at once, long enough that a closed one costs nothing. */
const firstRetryMs = 250
const longestRetryMs = 5_000

/**
 * The Bridge over a WebSocket. Requests made before the connection stands wait for it; those under way when it breaks fail with
 * `unreachable`, because nobody can know whether they were carried out. It reconnects by itself: `core.lost` tells of the break, and
 * `core.back` of the return, after which views pull afresh.
 */
export class SocketBridge implements Bridge {
  private readonly url: string
  private socket: WebSocket | null = null
  private ready = false
  private lost = false
  private nextId = 1
  private retryMs = firstRetryMs
  private readonly pending = new Map<number, Pending>()
  private readonly listeners = new Map<string, Set<Listener>>()

  constructor(url: string) {
    this.url = url
    this.connect()
  }

  request<N extends RequestName>(name: N, input: z.input<(typeof inputs)[N]>): Promise<Result<Outputs[N]>> {
    if (this.lost) return Promise.resolve(unreachable())
    return new Promise((resolve) => {
      const frame: RequestFrame = { t: 'request', id: this.nextId++, name, input }
      // The core answers each name with the output the contract gives it.
      const settle = resolve as (result: Result<unknown>) => void
      this.pending.set(frame.id, { frame, sent: false, settle })
      if (this.ready) this.flush()
    })
  }

  on<E extends EventName>(name: E, listener: (payload: BridgeEvents[E]) => void): () => void {
    const set = this.listeners.get(name) ?? new Set()
    this.listeners.set(name, set)
    set.add(listener as Listener)
    return () => set.delete(listener as Listener)
  }

  private connect(): void {
    const socket = new WebSocket(this.url)
    this.socket = socket
    socket.onmessage = (message) => this.receive(String(message.data))
    socket.onclose = () => {
      if (this.socket === socket) void this.broken()
    }
  }

  private flush(): void {
    for (const request of this.pending.values()) {
      if (request.sent) continue
      request.sent = true
      this.socket?.send(JSON.stringify(request.frame))
    }
  }

  private receive(text: string): void {
    const frame = readFrame(text)
    if (frame === null) return
    switch (frame.t) {
      case 'hello':
        this.greeted()
        return
      case 'reply':
        this.pending.get(frame.id)?.settle(frame.result)
        this.pending.delete(frame.id)
        return
      case 'event':
        this.emit(frame.name, frame.payload)
    }
  }

  private greeted(): void {
    this.ready = true
    this.retryMs = firstRetryMs
    this.flush()
    if (!this.lost) return
    this.lost = false
    this.emit('core.back', {})
    this.emit('runs.changed', {})
  }

  private async broken(): Promise<void> {
    this.ready = false
    this.socket = null
    const known = this.lost
    this.lost = true
    const failed = [...this.pending.values()]
    this.pending.clear()
    for (const { settle } of failed) settle(unreachable())
    const reason = await this.whyBroken()
    if (!known || reason === expired) this.emit('core.lost', { reason })
    // A shell started anew knows this window no longer: its cookie is refused however often it is shown.
    if (reason === expired) return
    setTimeout(() => this.connect(), this.retryMs * (0.75 + Math.random() / 2))
    this.retryMs = Math.min(this.retryMs * 2, longestRetryMs)
  }

  private async whyBroken(): Promise<string> {
    const url = new URL(sessionPath, this.url)
    url.protocol = url.protocol === 'wss:' ? 'https:' : 'http:'
    const reply = await fetch(url, { cache: 'no-store' }).catch(() => null)
    return reply?.status === 401 ? expired : gone
  }

  private emit(name: string, payload: unknown): void {
    for (const listener of [...(this.listeners.get(name) ?? [])]) listener(payload)
  }
}

/** A frame that this window does not know is a newer shell's; it is passed over. */
function readFrame(text: string): ServerFrame | null {
  try {
    return ServerFrame.parse(JSON.parse(text))
  } catch {
    return null
  }
}

const gone = 'The console’s core does not answer; the window tries again by itself. Runs go on meanwhile.'
const expired = 'The console was started anew; open the address that it printed. Runs go on meanwhile.'

const unreachable = (): Result<never> => ({
  ok: false,
  error: new AppError('unreachable', 'The console’s core does not answer.').info,
})

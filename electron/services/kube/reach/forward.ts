import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import type { Disposable } from '#shared/base/disposable.ts'
import { Emitter } from '#shared/base/emitter.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { KubeClient } from '../client.ts'
import { type PodChoice, type PodName, pickPod } from './pick-pod.ts'
import { connectToPod, type PodConnection } from './pod-connection.ts'

export type ForwardState = {
  /** `waiting`: no pod can be spoken to at present. `lost`: the cluster did not answer, or refused. */
  kind: 'open' | 'waiting' | 'lost'
  pod: PodName | null
  reason: string
}

/** How often the choice is looked at while nobody connects, so that its state is true. */
const lookMs = 5_000

/**
 * A port of this machine that leads to a port of a pod. Which pod is looked up again whenever the last one does not take a connection any
 * more, so that a pod may be replaced: connections that were open to it end, and the next one reaches its successor.
 */
export class Forward implements Disposable {
  private readonly client: KubeClient
  private readonly choice: PodChoice
  private readonly port: number
  private readonly server: Server
  private readonly changes = new Emitter<ForwardState>()
  private readonly sockets = new Set<Socket>()
  private readonly ending = new AbortController()
  private current: ForwardState = { kind: 'waiting', pod: null, reason: 'not looked for yet' }
  private picking: Promise<PodName> | null = null
  /** Why the last connection to a pod that is there was not made; a pod that is only seen does not take it back. */
  private refusal: string | null = null
  private readonly timer: NodeJS.Timeout

  constructor(client: KubeClient, choice: PodChoice & { port: number }) {
    this.client = client
    this.choice = choice
    this.port = choice.port
    this.server = createServer({ pauseOnConnect: true }, (socket) => void this.serve(socket))
    this.timer = setInterval(() => void this.repick().catch(() => undefined), lookMs)
    this.timer.unref()
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get state(): ForwardState {
    return this.current
  }

  onDidChange(listener: (state: ForwardState) => void): () => void {
    return this.changes.on(listener)
  }

  /** @throws {AppError} `port_in_use`. */
  async listen(port: number): Promise<this> {
    await new Promise<void>((listening, failed) => {
      this.server.once('error', (cause: NodeJS.ErrnoException) =>
        failed(new AppError('port_in_use', `Port ${port} cannot be listened on (${cause.code}).`, { cause })),
      )
      this.server.listen(port, '127.0.0.1', listening)
    })
    return this
  }

  /** Looks which pod it is now. @throws {AppError} `unreachable` where there is none, or the cluster's own refusal. */
  repick(): Promise<PodName> {
    this.picking ??= this.pick().finally(() => {
      this.picking = null
    })
    return this.picking
  }

  async dispose(): Promise<void> {
    clearInterval(this.timer)
    this.ending.abort()
    for (const socket of this.sockets) socket.destroy()
    await new Promise<void>((closed) => this.server.close(() => closed()))
  }

  private async pick(): Promise<PodName> {
    let found: PodName | string
    try {
      found = await pickPod(this.client, this.choice)
    } catch (failure) {
      const error = toAppError(failure)
      this.report({ kind: 'lost', pod: this.current.pod, reason: error.message })
      throw error
    }
    if (typeof found !== 'string') {
      this.report({ kind: this.refusal === null ? 'open' : 'lost', pod: found, reason: this.refusal ?? '' })
      return found
    }
    this.report({ kind: 'waiting', pod: null, reason: found })
    throw new AppError('unreachable', `No pod to reach: ${found}.`)
  }

  private async serve(socket: Socket): Promise<void> {
    this.sockets.add(socket)
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('error', () => undefined)
    try {
      const pod = await this.connect()
      if (socket.destroyed) pod.destroy()
      // What goes wrong on either side ends both; the client sees its connection end, and asks again.
      else pipeline(socket, pod, socket, () => undefined)
    } catch {
      // The state says why; a connection can only be refused.
      socket.resetAndDestroy()
    }
  }

  private async connect(): Promise<PodConnection> {
    const known = this.current.kind === 'open' ? this.current.pod : null
    if (known) {
      try {
        return await this.connectTo(known)
      } catch (failure) {
        // Only then is it looked for again: a lookup at every connection would cost each its time.
        if (this.ending.signal.aborted) throw failure
      }
    }
    const pod = await this.repick()
    try {
      const connection = await this.connectTo(pod)
      this.refusal = null
      this.report({ kind: 'open', pod, reason: '' })
      return connection
    } catch (failure) {
      this.refusal = toAppError(failure).message
      this.report({ kind: 'lost', pod, reason: this.refusal })
      throw failure
    }
  }

  private connectTo({ name }: PodName): Promise<PodConnection> {
    const at = { namespace: this.choice.namespace, pod: name, port: this.port }
    return connectToPod(this.client, at, this.ending.signal)
  }

  private report(state: ForwardState): void {
    if (JSON.stringify(state) === JSON.stringify(this.current)) return
    this.current = state
    this.changes.emit(state)
  }
}

/** Opens a forward on a free port of this machine, or on `localPort`. It listens also while there is no pod yet. */
export async function openForward(
  client: KubeClient,
  choice: PodChoice & { port: number; localPort?: number },
): Promise<Forward> {
  const forward = await new Forward(client, choice).listen(choice.localPort ?? 0)
  await forward.repick().catch(() => undefined)
  return forward
}

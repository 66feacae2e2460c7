import type { RequestOptions } from 'node:https'
import { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { AppError } from '#shared/base/errors.ts'
import type { KubeClient } from '../client.ts'
import { noAnswer, refusal } from '../kube-errors.ts'

export type PodPort = { namespace: string; pod: string; port: number }

/** Channels of the protocol: bytes, and what went wrong in the pod, each begun by two bytes that repeat the port. */
const data = 0
const trouble = 1
const portBytes = 2

/** A path that died without a word is noticed within two of these: soon enough for a step, seldom enough for a far cluster. */
const pingMs = 10_000
/** Sent and not yet taken by the network: beyond it the writer waits. */
const pendingBytes = 1024 * 1024

/**
 * One TCP connection to a port of a pod, through the API server: what a port-forward is made of.
 * @throws {AppError} `kube_not_found` where there is no such pod, `kube_forbidden`, `unreachable`. What fails in the pod after that (nothing
 * listens there) ends the stream with an error of code `unreachable`.
 */
export async function connectToPod(
  client: KubeClient,
  at: PodPort,
  signal?: AbortSignal,
): Promise<PodConnection> {
  const config = await client.kubeConfig()
  const options: RequestOptions = {}
  await config.applyToHTTPSOptions(options)
  const path = `/api/v1/namespaces/${at.namespace}/pods/${at.pod}/portforward?ports=${at.port}`
  const url = `${client.identity.server.replace(/^http/, 'ws')}${path}`
  const socket = new WebSocket(url, ['v4.channel.k8s.io'], { ...plain(options), handshakeTimeout: 15_000 })
  // From the start: what the server sends first may come with its consent.
  const connection = new PodConnection(socket, client.identity.server)
  const abort = () => socket.terminate()
  signal?.addEventListener('abort', abort, { once: true })
  try {
    await opened(socket, client.identity.server, `GET ${path}`)
  } catch (failure) {
    connection.destroy()
    throw failure
  } finally {
    signal?.removeEventListener('abort', abort)
  }
  return connection
}

/** `ws` takes the same options as a request, but wants no `undefined` among them. */
const plain = (options: RequestOptions) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))

function opened(socket: WebSocket, server: string, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve)
    // Also what comes after the answer, while the socket is being given up.
    socket.on('error', (failure) => reject(noAnswer(server, failure)))
    socket.once('close', () => reject(noAnswer(server, new Error('it closed the connection'))))
    socket.once('unexpected-response', (_, response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk
      })
      const done = () => {
        reject(refusal(what, response.statusCode ?? 0, body))
        socket.terminate()
      }
      response.once('end', done)
      response.once('error', done)
    })
  })
}

export class PodConnection extends Duplex {
  private readonly socket: WebSocket
  private readonly server: string
  /** Of each channel, how many of its first bytes are still to be left out. */
  private readonly skip = new Map([
    [data, portBytes],
    [trouble, portBytes],
  ])
  private reason = ''
  private answered = true
  private readonly heart: NodeJS.Timeout

  constructor(socket: WebSocket, server: string) {
    super({ allowHalfOpen: false })
    this.socket = socket
    this.server = server
    socket.binaryType = 'nodebuffer'
    socket.on('message', (message: Buffer) => this.received(message))
    socket.on('close', () => this.ended())
    socket.on('error', (failure) => this.destroy(this.failed(failure)))
    socket.on('pong', () => {
      this.answered = true
    })
    // Whoever reads learns of a failure by the end of the stream; before there is a reader it must not end the process.
    this.on('error', () => undefined)
    this.heart = setInterval(() => this.beat(), pingMs)
    this.heart.unref()
  }

  private received(message: Buffer): void {
    const channel = message[0] ?? data
    const skipped = Math.min(this.skip.get(channel) ?? 0, message.length - 1)
    this.skip.set(channel, (this.skip.get(channel) ?? 0) - skipped)
    const bytes = message.subarray(1 + skipped)
    if (bytes.length === 0) return
    if (channel === trouble) {
      this.reason += bytes.toString('utf8')
      // The server keeps the channel of bytes open although nothing will come.
      this.socket.close()
    } else if (!this.push(bytes)) this.socket.pause()
  }

  private beat(): void {
    if (!this.answered) this.destroy(this.failed(new Error('the connection is dead: nothing came back')))
    this.answered = false
    if (this.socket.readyState === WebSocket.OPEN) this.socket.ping()
  }

  private ended(): void {
    clearInterval(this.heart)
    if (this.reason !== '') this.destroy(this.failed(new Error(this.reason.trim())))
    else this.push(null)
  }

  private failed(failure: Error): AppError {
    return noAnswer(this.server, failure)
  }

  override _read(): void {
    this.socket.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (failure?: Error | null) => void): void {
    const frame = Buffer.allocUnsafe(chunk.length + 1)
    frame[0] = data
    chunk.copy(frame, 1)
    if (this.socket.bufferedAmount < pendingBytes) {
      this.socket.send(frame, (failure) => failure && this.destroy(this.failed(failure)))
      done()
    } else this.socket.send(frame, (failure) => done(failure))
  }

  override _destroy(failure: Error | null, done: (failure?: Error | null) => void): void {
    clearInterval(this.heart)
    this.socket.terminate()
    done(failure)
  }

  /** The protocol has no half of a connection that ends: with our end, the whole goes. */
  override _final(done: () => void): void {
    this.socket.close()
    done()
  }
}

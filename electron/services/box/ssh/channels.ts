import { connect } from 'node:net'
import { AppError } from '#shared/base/errors.ts'
import { channelFailure } from './failures.ts'
import type { Ssh2Client as Client, ClientChannel, PseudoTtyOptions } from './ssh2.ts'

export type ExecResult = { code: number; stdout: Buffer; stderr: string }

export type ExecOptions = {
  input?: string | Uint8Array
  /** After this the channel is closed and the outcome unknown. */
  limitMs?: number
  /** Of output; what is more is a fault of the far side and ends the channel. */
  maxBytes?: number
}

const defaultLimitMs = 30_000
const defaultMaxBytes = 64 * 1024 * 1024

/**
 * Runs one command to its end.
 * @throws {AppError} `unreachable` where the link broke before the end was heard of (what the command did is then unknown), `timed_out`.
 */
export function execOn(
  client: Client,
  box: string,
  command: string,
  options: ExecOptions = {},
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    const limitMs = options.limitMs ?? defaultLimitMs
    let channel: ClientChannel | null = null
    const timer = setTimeout(() => {
      channel?.destroy()
      reject(new AppError('timed_out', `${box} did not finish a command within ${limitMs / 1000} s.`))
    }, limitMs)
    const settle = (outcome: ExecResult | AppError) => {
      clearTimeout(timer)
      if (outcome instanceof AppError) reject(outcome)
      else resolve(outcome)
    }
    try {
      // Listened to within the callback itself: a short command's end may come in the same packet as its beginning.
      client.exec(command, (failure, opened) => {
        if (failure) return settle(channelFailure(failure, box))
        channel = opened
        collect(opened, box, options.maxBytes ?? defaultMaxBytes, settle)
        opened.end(options.input ?? '')
      })
    } catch (failure) {
      settle(channelFailure(failure, box))
    }
  })
}

function collect(
  channel: ClientChannel,
  box: string,
  maxBytes: number,
  settle: (outcome: ExecResult | AppError) => void,
): void {
  const out: Buffer[] = []
  const said: Buffer[] = []
  let bytes = 0
  let exit: number | null = null
  channel.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) out.push(chunk)
    else {
      channel.destroy()
      settle(new AppError('too_large', `${box} answered with more than ${maxBytes} bytes.`))
    }
  })
  channel.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  channel.on('exit', (code: number | null) => {
    // A signal leaves no code: as a shell says it.
    exit = code ?? 128
  })
  channel.on('error', (failure: unknown) => settle(channelFailure(failure, box)))
  channel.on('close', () => {
    if (exit === null) settle(channelFailure(new Error('the link broke while a command ran'), box))
    else settle({ code: exit, stdout: Buffer.concat(out), stderr: Buffer.concat(said).toString() })
  })
}

/** A command's own channel, for what runs long; with `pty` a terminal of its own. */
export function openChannel(
  client: Client,
  box: string,
  command: string,
  pty?: PseudoTtyOptions,
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    try {
      client.exec(command, pty ? { pty } : {}, (failure, channel) => {
        if (failure) reject(channelFailure(failure, box))
        else resolve(channel)
      })
    } catch (failure) {
      reject(channelFailure(failure, box))
    }
  })
}

/** An interactive login shell of the user's. */
export function openShell(client: Client, box: string, pty: PseudoTtyOptions): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    try {
      client.shell(pty, (failure, channel) => {
        if (failure) reject(channelFailure(failure, box))
        else resolve(channel)
      })
    } catch (failure) {
      reject(channelFailure(failure, box))
    }
  })
}

/** The loopback port of this machine that a tunnel leads to right now; null where there is none. */
export type Target = () => Promise<number | null>

/** Reverse forwards of one connection: who connects to a loopback port of the box reaches a loopback port of this machine. */
export class ReverseForwards {
  private readonly client: Client
  private readonly box: string
  private readonly targets = new Map<number, Target>()

  constructor(client: Client, box: string) {
    this.client = client
    this.box = box
    client.on('tcp connection', (details, accept, reject) => {
      const target = this.targets.get(details.destPort)
      void Promise.resolve(target?.() ?? null)
        .catch(() => null)
        .then((port) => (port === null ? reject() : this.join(accept(), port)))
    })
  }

  private join(far: ClientChannel, port: number): void {
    const near = connect({ host: '127.0.0.1', port })
    const end = () => {
      near.destroy()
      far.destroy()
    }
    near.once('error', end)
    near.once('close', () => far.end())
    far.once('error', end)
    far.once('close', () => near.destroy())
    near.pipe(far).pipe(near)
  }

  /** @param wanted a port of the box, 0 for any. @param target asked at every connection; null refuses it. @returns the port. */
  open(wanted: number, target: Target): Promise<number> {
    return new Promise((resolve, reject) => {
      try {
        this.client.forwardIn('127.0.0.1', wanted, (failure, given) => {
          if (failure) {
            const what = wanted === 0 ? 'a port' : `port ${wanted}`
            reject(
              new AppError('port_in_use', `${this.box} does not give ${what} on its loopback to a tunnel.`, {
                cause: failure,
              }),
            )
            return
          }
          const port = wanted === 0 ? given : wanted
          this.targets.set(port, target)
          resolve(port)
        })
      } catch (failure) {
        reject(channelFailure(failure, this.box))
      }
    })
  }

  close(port: number): Promise<void> {
    this.targets.delete(port)
    return new Promise((resolve) => {
      try {
        this.client.unforwardIn('127.0.0.1', port, () => resolve())
      } catch {
        // The connection is gone, and its forwards with it.
        resolve()
      }
    })
  }
}

/** Whether something accepts connections on a loopback port of the box, by the server's own word. */
export function listensOnBox(client: Client, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    try {
      client.forwardOut('127.0.0.1', 0, '127.0.0.1', port, (failure, stream) => {
        if (failure) {
          if (/refused|connect/i.test(failure.message)) resolve(false)
          else reject(channelFailure(failure, 'The box'))
          return
        }
        stream.destroy()
        resolve(true)
      })
    } catch (failure) {
      reject(channelFailure(failure, 'The box'))
    }
  })
}

import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '#shared/base/errors.ts'
import type { Chain } from './connect.ts'
import { type ExecOptions, type ExecResult, execBy } from './exec.ts'
import { channelFailure } from './failures.ts'
import type { Ssh2Client as Client } from './ssh2.ts'
import type { BoxChannel, Pty, Target, Transport } from './transport.ts'

/** A connection that this console made by itself, hop by hop. */
export class Ssh2Transport implements Transport {
  private readonly chain: Chain
  private readonly box: string
  private readonly tunnels: ReverseForwards

  constructor(chain: Chain, box: string) {
    this.chain = chain
    this.box = box
    this.tunnels = new ReverseForwards(chain.client, box)
  }

  exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    return execBy((take) => this.client.exec(command, take), this.box, options)
  }

  channel(command: string): Promise<BoxChannel> {
    return this.opened((take) => this.client.exec(command, take))
  }

  shell(pty: Pty): Promise<BoxChannel> {
    return this.opened((take) => this.client.shell({ ...pty, width: 0, height: 0 }, take))
  }

  openTunnel(wanted: number, target: Target): Promise<number> {
    return this.tunnels.open(wanted, target)
  }

  closeTunnel(port: number): Promise<void> {
    return this.tunnels.close(port)
  }

  /** By the server's own word. */
  listens(port: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      try {
        this.client.forwardOut('127.0.0.1', 0, '127.0.0.1', port, (failure, stream) => {
          if (failure) {
            if (/refused|connect/i.test(failure.message)) resolve(false)
            else reject(channelFailure(failure, this.box))
            return
          }
          stream.destroy()
          resolve(true)
        })
      } catch (failure) {
        reject(channelFailure(failure, this.box))
      }
    })
  }

  onClose(listener: () => void): void {
    this.client.once('close', listener)
  }

  breakOff(): void {
    this.client.destroy()
  }

  async dispose(): Promise<void> {
    await this.chain.dispose()
  }

  private get client(): Client {
    return this.chain.client
  }

  private opened(
    open: (take: (failure: Error | undefined, channel: BoxChannel) => void) => void,
  ): Promise<BoxChannel> {
    return new Promise((resolve, reject) => {
      try {
        open((failure, channel) => {
          if (failure) reject(channelFailure(failure, this.box))
          else resolve(channel)
        })
      } catch (failure) {
        reject(channelFailure(failure, this.box))
      }
    })
  }
}

/** Reverse forwards of one connection: who connects to a loopback port of the box reaches a loopback port of this machine. */
class ReverseForwards {
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
        .then((port) => (port === null ? reject() : joinToLoopback(accept(), port)))
    })
  }

  open(wanted: number, target: Target): Promise<number> {
    return new Promise((resolve, reject) => {
      try {
        this.client.forwardIn('127.0.0.1', wanted, (failure, given) => {
          if (failure) return reject(noPort(this.box, wanted, failure))
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

/** Joins what came through a tunnel to a loopback port of this machine; either end takes the other along. */
export function joinToLoopback(far: Duplex, port: number): void {
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

export function noPort(box: string, wanted: number, cause: unknown): AppError {
  const what = wanted === 0 ? 'a port' : `port ${wanted}`
  return new AppError('port_in_use', `${box} does not give ${what} on its loopback to a tunnel.`, { cause })
}

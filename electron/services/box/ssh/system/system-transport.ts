import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/base/errors.ts'
import { type ExecOptions, type ExecResult, execBy } from '../exec.ts'
import { ChannelRefused } from '../failures.ts'
import { startProgram } from '../ssh-process.ts'
import { joinToLoopback, noPort } from '../ssh2-transport.ts'
import type { BoxChannel, Pty, Target, Transport } from '../transport.ts'
import type { Master, SystemRoom } from './master.ts'
import { ProcessChannel, type ProcessChannelOptions } from './process-channel.ts'
import { shellCommand, TtyName } from './shell-size.ts'

/** A master that breaks ends a moment after those who share it. */
const breakMs = 300
/** An accepted connection that stays silent for this long is open. */
const silentMs = 3_000

type Tunnel = { server: Server; asked: number }

/** A connection that the system's own `ssh` made and keeps: every command is another `ssh` over its control socket. */
export class SystemTransport implements Transport {
  private readonly room: SystemRoom
  private readonly master: Master
  private readonly box: string
  private readonly tunnels = new Map<number, Tunnel>()
  private tunnelCount = 0

  constructor(room: SystemRoom, master: Master, box: string) {
    this.room = room
    this.master = master
    this.box = box
  }

  async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    const result = await execBy(
      (take) => take(undefined, this.start(['--', ...host, command])),
      this.box,
      options,
    )
    // Of the sharing `ssh` itself: nothing of the command was begun.
    if (result.code === 255 && /Session open refused by peer|open failed/i.test(result.stderr))
      throw new ChannelRefused('unreachable', `${this.box} opens no more sessions.`)
    return result
  }

  async channel(command: string): Promise<BoxChannel> {
    this.refuseDead()
    return this.start(['--', ...host, command])
  }

  /** The pty of a process without a terminal has no size, and none that changes: both are set on the box, by its name there. */
  async shell({ term, cols, rows }: Pty): Promise<BoxChannel> {
    this.refuseDead()
    const name = new TtyName()
    const resize = (toRows: number, toCols: number) => {
      if (name.path !== null)
        void this.exec(`stty rows ${toRows} cols ${toCols} < ${name.path}`).catch(() => undefined)
    }
    const env = { ...this.room.env, TERM: term }
    return this.start(['-tt', '--', ...host, shellCommand(rows, cols)], env, {
      setWindow: resize,
      filter: (chunk) => name.filter(chunk),
    })
  }

  /** The tunnel leads to a socket in a folder that only this user may enter, and from there to wherever `target` says at that moment. */
  async openTunnel(wanted: number, target: Target): Promise<number> {
    this.tunnelCount += 1
    const path = join(this.room.folder, `t${this.tunnelCount}`)
    const server = createServer((near) => {
      near.on('error', () => near.destroy())
      void target()
        .catch(() => null)
        .then((port) => (port === null ? near.destroy() : joinToLoopback(near, port)))
    })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
    const { code, stdout, stderr } = await this.control('forward', `127.0.0.1:${wanted}:${path}`)
    if (code !== 0) {
      server.close()
      if (!this.master.isAlive()) throw this.broken()
      throw noPort(this.box, wanted, new Error(stderr.trim()))
    }
    const port = wanted === 0 ? Number(stdout.toString().trim()) : wanted
    this.tunnels.set(port, { server, asked: wanted })
    return port
  }

  async closeTunnel(port: number): Promise<void> {
    const tunnel = this.tunnels.get(port)
    this.tunnels.delete(port)
    if (!tunnel) return
    const path = tunnel.server.address()
    tunnel.server.close()
    // Known to the master by what was asked for, which was any port where it was 0.
    await this.control('cancel', `127.0.0.1:${tunnel.asked}:${path}`)
  }

  async listens(port: number): Promise<boolean> {
    const child = this.spawn(['-W', `127.0.0.1:${port}`, ...host])
    child.stdin.end()
    child.stdout.resume()
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes
    })
    const code = await Promise.race([
      new Promise<number | null>((resolve) => child.once('close', resolve)),
      sleep(silentMs, 0),
    ])
    child.kill()
    if (code === 0) return true
    if (/refused|open failed/i.test(said) && this.master.isAlive()) return false
    throw this.broken()
  }

  onClose(listener: () => void): void {
    void this.master.ended.then(listener)
  }

  breakOff(): void {
    this.master.kill()
  }

  async dispose(): Promise<void> {
    for (const { server } of this.tunnels.values()) server.close()
    this.tunnels.clear()
    await this.master.dispose()
    await rm(this.room.folder, { recursive: true, force: true })
  }

  private start(
    args: string[],
    env?: NodeJS.ProcessEnv,
    terminal: Omit<ProcessChannelOptions, 'alive'> = {},
  ): ProcessChannel {
    const alive = async () => {
      await Promise.race([this.master.ended, sleep(breakMs)])
      return this.master.isAlive()
    }
    return new ProcessChannel(this.spawn(args, env), { alive, ...terminal })
  }

  /** Never a connection of its own: where the shared one is gone, a proxy that fails stands in the way. */
  private spawn(args: string[], env = this.room.env): ChildProcessWithoutNullStreams {
    const shared = [
      '-F',
      '/dev/null',
      '-S',
      this.master.socket,
      '-o',
      'ProxyCommand=false',
      '-o',
      'BatchMode=yes',
    ]
    return startProgram('ssh', [...shared, ...args], { env })
  }

  private control(verb: 'forward' | 'cancel', forward: string): Promise<ExecResult> {
    return execBy((take) => take(undefined, this.start(['-O', verb, '-R', forward, ...host])), this.box, {
      limitMs: 10_000,
    })
  }

  private refuseDead(): void {
    if (!this.master.isAlive()) throw this.broken()
  }

  private broken(): AppError {
    return new AppError('unreachable', `The link to ${this.box} broke.`)
  }
}

/** Over the control socket the name is only what `ssh` calls the far side in its messages. */
const host = ['box']

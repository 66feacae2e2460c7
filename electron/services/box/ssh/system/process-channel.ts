import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Duplex, type Readable } from 'node:stream'
import type { BoxChannel } from '../transport.ts'

/** `ssh` says so of itself; a command may end with it, too. */
const ownFailure = 255

export type ProcessChannelOptions = {
  /** Whether the shared connection still lives, asked when a command ended with ssh's own failure code. */
  alive: () => Promise<boolean>
  setWindow?: (rows: number, cols: number) => void
  /** What of the output is the far side's own. */
  filter?: (chunk: Buffer) => Buffer
}

/** A process of the system's `ssh` as a channel: its end with the connection gone is a link that broke, and has no code. */
export class ProcessChannel extends Duplex implements BoxChannel {
  readonly stderr: Readable
  private readonly child: ChildProcessWithoutNullStreams
  private readonly options: ProcessChannelOptions

  constructor(child: ChildProcessWithoutNullStreams, options: ProcessChannelOptions) {
    super({ autoDestroy: false })
    this.child = child
    this.options = options
    this.stderr = child.stderr
    child.stdout.on('data', (chunk: Buffer) => {
      const own = options.filter?.(chunk) ?? chunk
      if (own.length > 0 && !this.push(own)) child.stdout.pause()
    })
    // A process that ended takes no more input; its end is told below.
    child.stdin.on('error', () => undefined)
    child.once('error', (failure) => this.emit('error', failure))
    child.once('close', (code) => void this.over(code))
  }

  setWindow(rows: number, cols: number): void {
    this.options.setWindow?.(rows, cols)
  }

  close(): void {
    this.child.kill()
  }

  override _read(): void {
    this.child.stdout.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.child.stdin.destroyed) done()
    else this.child.stdin.write(chunk, () => done())
  }

  override _final(done: () => void): void {
    this.child.stdin.end()
    done()
  }

  override _destroy(failure: Error | null, done: (failure: Error | null) => void): void {
    this.child.kill()
    done(failure)
  }

  private async over(code: number | null): Promise<void> {
    const broken = code === null || (code === ownFailure && !(await this.options.alive()))
    if (this.destroyed) return
    const end = () => {
      if (!broken) this.emit('exit', code)
      this.destroy()
    }
    // What was read of it goes first.
    this.once('end', end)
    this.push(null)
  }
}

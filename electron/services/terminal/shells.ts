import { randomUUID } from 'node:crypto'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import type { Handlers } from '#shared/ipc/contract.ts'
import type { Boxes } from '../box/ssh/boxes.ts'
import type { BoxChannel } from '../box/ssh/transport.ts'

/** Held for a window that has not asked yet; beyond it the box is told to wait, so a command that pours text out cannot fill the memory. */
const heldBytes = 256 * 1024

type Shell = {
  channel: BoxChannel
  held: Buffer[]
  bytes: number
  /** Why it ended; null while it goes on. */
  ended: string | null
  broken: boolean
}

type ShellRequests = 'shell.open' | 'shell.write' | 'shell.resize' | 'shell.read' | 'shell.close'

/** Interactive shells on boxes. The window is told that something is there and takes it when it can. */
export class Shells implements Disposable {
  private readonly boxes: Boxes
  private readonly onAdvance: (shell: string) => void
  private readonly shells = new Map<string, Shell>()

  constructor(boxes: Boxes, onAdvance: (shell: string) => void) {
    this.boxes = boxes
    this.onAdvance = onAdvance
  }

  readonly handlers: Pick<Handlers, ShellRequests> = {
    'shell.open': ({ box, cols, rows }) => this.open(box, cols, rows),
    'shell.write': ({ shell, text }) => {
      this.find(shell).channel.write(text)
      return { done: true }
    },
    'shell.resize': ({ shell, cols, rows }) => {
      this.find(shell).channel.setWindow(rows, cols, 0, 0)
      return { done: true }
    },
    'shell.read': ({ shell }) => this.read(shell),
    'shell.close': ({ shell }) => {
      this.close(shell)
      return { done: true }
    },
  }

  dispose(): void {
    for (const id of [...this.shells.keys()]) this.close(id)
  }

  private async open(named: string, cols: number, rows: number): Promise<{ shell: string }> {
    const link = this.boxes.link(this.boxes.find(named).id)
    const channel = await link.shell({ term: 'xterm-256color', cols, rows })
    const id = randomUUID()
    const shell: Shell = { channel, held: [], bytes: 0, ended: null, broken: false }
    this.shells.set(id, shell)
    const take = (chunk: Buffer) => {
      shell.held.push(chunk)
      shell.bytes += chunk.length
      if (shell.bytes >= heldBytes) channel.pause()
      this.onAdvance(id)
    }
    channel.on('data', take)
    channel.stderr.on('data', take)
    let code: number | null = null
    channel.on('exit', (given: number | null) => {
      code = given
    })
    channel.on('error', () => undefined)
    channel.on('close', () => {
      shell.broken = code === null
      shell.ended =
        code === null
          ? 'The connection broke; what ran in the shell is unknown.'
          : `The shell ended with ${code}.`
      this.onAdvance(id)
    })
    return { shell: id }
  }

  /** Everything held, and lets the box go on. */
  private read(id: string): { bytesBase64: string; ended: string | null; broken: boolean } {
    const shell = this.find(id)
    const bytes = Buffer.concat(shell.held)
    shell.held = []
    shell.bytes = 0
    shell.channel.resume()
    if (shell.ended !== null && bytes.length === 0) this.shells.delete(id)
    const ended = bytes.length === 0 ? shell.ended : null
    return { bytesBase64: bytes.toString('base64'), ended, broken: ended !== null && shell.broken }
  }

  private close(id: string): void {
    this.shells.get(id)?.channel.close()
    this.shells.delete(id)
  }

  private find(id: string): Shell {
    const shell = this.shells.get(id)
    if (shell) return shell
    throw new AppError('not_found', 'That shell has ended.', { hint: 'Open another one.' })
  }
}

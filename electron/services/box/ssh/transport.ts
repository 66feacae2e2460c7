import type { Duplex, Readable } from 'node:stream'
import type { Disposable } from '#shared/base/disposable.ts'
import type { ExecOptions, ExecResult } from './exec.ts'

/** Size and kind of a terminal on the box. */
export type Pty = { term: string; cols: number; rows: number }

/**
 * One command or shell on the box: its input and output, and its errors apart. Emits `exit` with its code where it was heard of, then `close`; a
 * `close` without an `exit` is a link that broke.
 */
export type BoxChannel = Duplex & {
  stderr: Readable
  setWindow(rows: number, cols: number, height: number, width: number): void
  close(): void
}

/** The loopback port of this machine that a tunnel leads to right now; null where there is none. */
export type Target = () => Promise<number | null>

/** An authenticated connection to a box, whoever made it: this console itself, or the system's own `ssh` on its behalf. */
export type Transport = Disposable & {
  /** Runs one command to its end. @throws {AppError} `unreachable` where the link broke (what it did is then unknown), `timed_out`, `too_large`. */
  exec(command: string, options?: ExecOptions): Promise<ExecResult>
  /** A command's own channel, for what runs long. */
  channel(command: string): Promise<BoxChannel>
  /** An interactive login shell of the user's. */
  shell(pty: Pty): Promise<BoxChannel>
  /** @param wanted a loopback port of the box, 0 for any. @returns the port. @throws {AppError} `port_in_use`. */
  openTunnel(wanted: number, target: Target): Promise<number>
  closeTunnel(port: number): Promise<void>
  /** Whether something accepts connections on a loopback port of the box. */
  listens(port: number): Promise<boolean>
  /** Told once, when the connection is gone. */
  onClose(listener: () => void): void
  /** Lets the connection go as a network that breaks does, without a word to the far side. */
  breakOff(): void
}

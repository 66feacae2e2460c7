import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { decodeLine } from '#shared/journal/decode.ts'
import type { EventBody, RunEvent } from '#shared/journal/events.ts'
import { asDiskError, writeWhole } from './run-folder.ts'

/** The run's journal on its box: append-only, every append synced before anything follows from it, `seq` without gaps over restarts. */
export class JournalFile {
  private readonly path: string
  private readonly fd: number
  private readonly run: string
  private readonly now: () => Date
  private seq: number
  private size: number
  /** What was in the file when it was opened. */
  readonly past: RunEvent[]

  /**
   * Opens or makes the journal. A torn last line, left by a crash inside a write, is cut off: nothing was acted on by it, and its event is
   * emitted again. Whole lines are never touched.
   */
  constructor(path: string, run: string, now: () => Date = () => new Date()) {
    const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
    this.size = bytes.lastIndexOf(10) + 1
    this.path = path
    this.run = run
    this.now = now
    this.past = bytes
      .subarray(0, this.size)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(decodeLine)
      .flatMap((line) => (line.kind === 'event' ? [line.event] : []))
    this.seq = this.past.reduce((last, event) => Math.max(last, event.seq), -1) + 1
    this.fd = openSync(path, 'a')
    if (this.size < bytes.length) {
      ftruncateSync(this.fd, this.size)
      fsyncSync(this.fd)
    }
  }

  /**
   * Appends events in one write and syncs once.
   * @throws AppError `disk_full`; what was written of the batch is taken back, so that the journal stays whole.
   */
  append(bodies: readonly EventBody[]): RunEvent[] {
    const at = this.now().toISOString()
    const events = bodies.map(
      (body, i) => ({ v: 1, seq: this.seq + i, at, run: this.run, ...body }) as RunEvent,
    )
    const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    try {
      writeWhole(this.fd, bytes)
      fsyncSync(this.fd)
    } catch (failure) {
      // Should this fail as well, the next start cuts the torn line off.
      try {
        ftruncateSync(this.fd, this.size)
      } catch {}
      throw asDiskError(failure, this.path)
    }
    this.size += bytes.length
    this.seq += events.length
    return events
  }

  close(): void {
    closeSync(this.fd)
  }
}

import { Emitter } from '#shared/base/emitter.ts'
import type { ErrorInfo } from '#shared/base/errors.ts'
import type { Result } from '#shared/base/result.ts'
import type { LogChunk } from '#shared/ipc/contract.ts'
import { SafeText } from '#shared/terminal/safe-text.ts'
import { formatBytes } from '../../app/format.ts'

/** Where the feed writes; `done` is called when the text has been taken in, which is what holds the next read back. */
export type LogSink = { write(text: string, done: () => void): void; clear(): void }

export type LogFeedOptions = {
  read(offset: number, limit: number): Promise<Result<LogChunk>>
  sink: LogSink
  /** Of a longer log only the end is read at first; the rest is in the file. */
  tailBytes?: number
  chunkBytes?: number
  /** Farther behind than this, the rest is passed over: the terminal would only scroll it away. */
  skipBytes?: number
}

export type LogFeedState = {
  /** Bytes taken in and bytes that there are; null before the first answer. */
  offset: number | null
  size: number | null
  /** Bytes that were passed over: at the log's start, and where it ran ahead of the terminal. */
  before: number
  lastAt: string | null
  /** Control sequences left out. */
  dropped: number
  /** Lines that the filter left out; null without one. */
  hidden: number | null
  error: ErrorInfo | null
}

/**
 * Brings a growing log to a terminal: by byte offset, one read at a time, the next only when the terminal has digested the last. While held
 * it reads nothing, so that neither side piles up.
 */
export class LogFeed {
  readonly changed = new Emitter<void>()
  state: LogFeedState = {
    ...{ offset: null, size: null, before: 0, lastAt: null },
    ...{ dropped: 0, hidden: null, error: null },
  }
  private readonly options: Required<LogFeedOptions>
  private decoder = new TextDecoder()
  private safe = new SafeText()
  private held = false
  private busy = false
  private ended = false
  /** Whether the piece up to the first line break is the torn end of a line that began before the tail. */
  private torn = false
  private keep: ((line: string) => boolean) | null = null
  /** Without a line break yet: whether it is to be shown is not known before. */
  private unfinished = ''
  /** Counts beginnings; what was read for an earlier one is dropped. */
  private beginning = 0

  constructor(options: LogFeedOptions) {
    this.options = { tailBytes: 512 * 1024, chunkBytes: 128 * 1024, skipBytes: 4 * 1024 * 1024, ...options }
  }

  /** There may be more to read. Cheap to call at every sign of life. */
  poke(size?: number): void {
    if (size !== undefined && this.state.size !== null && size > this.state.size) this.patch({ size })
    if (!this.busy && !this.held && !this.ended) void this.run()
  }

  /** Stops taking bytes in, or goes on. */
  hold(held: boolean): void {
    this.held = held
    if (!held) this.poke()
  }

  /** Shows only lines that `keep` takes; null shows all. The end of the log is read anew. */
  filter(keep: ((line: string) => boolean) | null): void {
    if (keep === this.keep) return
    this.keep = keep
    this.restart(null)
    this.poke()
  }

  dispose(): void {
    this.ended = true
  }

  private async run(): Promise<void> {
    this.busy = true
    try {
      while (!this.ended && !this.held && (await this.step()));
    } finally {
      this.busy = false
    }
  }

  /** @returns whether there is more to read at once. */
  private async step(): Promise<boolean> {
    const { beginning } = this
    const offset = this.state.offset ?? (await this.start())
    if (offset === null) return beginning !== this.beginning
    if ((this.state.size ?? 0) - offset > this.options.skipBytes) {
      await this.skip(offset, (this.state.size ?? 0) - this.options.tailBytes)
      return true
    }
    const reply = await this.options.read(offset, this.options.chunkBytes)
    if (this.ended) return false
    if (beginning !== this.beginning) return true
    if (!reply.ok) {
      this.patch({ error: reply.error })
      return false
    }
    const chunk = reply.value
    if (chunk.size < offset) {
      this.restart(0)
      return true
    }
    await this.show(bytesOf(chunk.bytesBase64))
    if (beginning !== this.beginning) return true
    this.patch({
      offset: chunk.end,
      size: chunk.size,
      lastAt: chunk.lastAt,
      error: null,
      dropped: this.safe.dropped,
    })
    return chunk.end < chunk.size
  }

  /** Asks for the size and places the offset so that the tail fits. */
  private async start(): Promise<number | null> {
    const { beginning } = this
    const reply = await this.options.read(0, 1)
    if (beginning !== this.beginning) return null
    if (!reply.ok) {
      this.patch({ error: reply.error })
      return null
    }
    const { size, lastAt } = reply.value
    const offset = Math.max(0, size - this.options.tailBytes)
    this.torn = offset > 0
    this.patch({ offset, size, before: offset, lastAt, error: null })
    return offset
  }

  /** Goes on at a later place, and says so where the lines are missing; they are in the file. */
  private async skip(from: number, to: number): Promise<void> {
    this.decoder = new TextDecoder()
    this.torn = true
    this.unfinished = ''
    this.patch({ offset: to, before: this.state.before + to - from })
    const note = `── ${formatBytes(to - from)} passed over; they are in the file ──`
    await new Promise<void>((done) => this.options.sink.write(`\u001b[0m\r\n${note}\r\n`, done))
  }

  /** Everything starts anew: another file has the name (it has become shorter), or other lines of it are wanted. Null: from its end. */
  private restart(offset: number | null): void {
    this.beginning += 1
    this.decoder = new TextDecoder()
    this.safe = new SafeText()
    this.torn = false
    this.unfinished = ''
    this.options.sink.clear()
    this.patch({ offset, before: 0, dropped: 0, hidden: this.keep === null ? null : 0 })
  }

  private async show(bytes: Uint8Array): Promise<void> {
    let text = this.decoder.decode(bytes, { stream: true })
    if (this.torn) {
      const lineEnd = text.indexOf('\n')
      if (lineEnd === -1) return
      text = text.slice(lineEnd + 1)
      this.torn = false
    }
    const safe = this.safe.push(this.keep === null ? text : this.kept(text, this.keep))
    if (safe !== '') await new Promise<void>((done) => this.options.sink.write(safe, done))
  }

  /** Of the whole lines so far those that are kept; the rest is waited for. */
  private kept(text: string, keep: (line: string) => boolean): string {
    const lines = (this.unfinished + text).split('\n')
    this.unfinished = lines.pop() ?? ''
    const shown = lines.filter((line) => keep(line.replaceAll(colours, '')))
    this.patch({ hidden: (this.state.hidden ?? 0) + lines.length - shown.length })
    return shown.map((line) => `${line}\n`).join('')
  }

  private patch(change: Partial<LogFeedState>): void {
    this.state = { ...this.state, ...change }
    this.changed.emit()
  }
}

/** What colours a line is no part of what it says. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the escape character that is meant
const colours = /\u001b\[[0-9;:]*m/g

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

import { setTimeout as sleep } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { BoxFiles, FileStat } from '../box/files.ts'

/** Read at once: enough that a backlog moves at the link's speed, little enough that other channels of the link get their turn. */
const chunkBytes = 256 * 1024
/** A backlog is read in growing pieces: over a network every one of them costs a round trip. */
const backlogBytes = 2 * 1024 * 1024
/** A single line longer than this is no line of ours; the tail says so rather than fill the memory. */
const longestBytes = 64 * 1024 * 1024
const slowestPollMs = 15_000

export type TailHealth = {
  /** `waiting`: no such file yet. `lost`: the box did not answer, or the file is not the one that was followed. */
  state: 'waiting' | 'live' | 'lost'
  detail: string
  /** Bytes taken so far, and the file's size when last seen. */
  offset: number
  sizeBytes: number | null
  /** When the file last grew, by this machine's clock where it was seen to grow, else by the file's own time. */
  lastHeardAt: Date | null
}

export type TailOptions = {
  files: BoxFiles
  path: string
  offset: number
  pollMs: number
  now: () => Date
  /**
   * Takes bytes that stand at `offset` and says how many it took; the rest is offered again with more behind it, so a reader of lines never
   * keeps half a line that its writer may yet cut off.
   */
  take: (bytes: Uint8Array, offset: number) => number | Promise<number>
  /** The file is shorter than what was taken, or another file has its name. @returns where to go on; null to stop for good. */
  onReplaced: (stat: FileStat) => number | null | Promise<number | null>
  /** Where a rotation moves the file: what was not yet taken of it is taken from there before `onReplaced` is asked. */
  rotatedTo?: string
  onHealth?: (health: TailHealth) => void
  /** Times `pollMs` to wait while nothing is expected any more. */
  pace?: () => number
}

/** Follows a growing file by byte offset: each byte is taken once, whatever happens to the link between. */
export class Tail implements Disposable {
  private readonly options: TailOptions
  private readonly stop = new AbortController()
  private offset: number
  private identity: string | null = null
  private sizeBytes: number | null = null
  private lastHeardAt: Date | null = null
  private current: TailHealth
  private failures = 0
  private finished = false
  private drain: Promise<void> | null = null
  private wake: () => void = () => {}
  private loop: Promise<void> | null = null
  private hints: Disposable | null = null
  private backs: Disposable | null = null

  constructor(options: TailOptions) {
    this.options = options
    this.offset = options.offset
    this.current = this.healthNow('waiting', 'not looked at yet')
  }

  get health(): TailHealth {
    return this.current
  }

  /** Starts to follow; ends with `dispose`. */
  start(): this {
    this.loop ??= this.run()
    this.hints ??= this.options.files.watch?.(this.options.path, () => this.wake()) ?? null
    this.backs ??=
      this.options.files.onBack?.(() => {
        this.failures = 0
        this.wake()
      }) ?? null
    return this
  }

  /** Looks once, and takes all that is there. Failures are in `health`, and are not thrown. */
  poll(): Promise<void> {
    this.drain ??= this.takeAll().finally(() => {
      this.drain = null
    })
    return this.drain
  }

  async dispose(): Promise<void> {
    this.stop.abort()
    this.wake()
    await this.hints?.dispose()
    await this.backs?.dispose()
    await this.loop
    await this.drain
  }

  private async run(): Promise<void> {
    while (!this.stop.signal.aborted && !this.finished) {
      await this.poll()
      if (!this.stop.signal.aborted) await this.pause()
    }
  }

  private async pause(): Promise<void> {
    const { pollMs, pace } = this.options
    const waitMs = Math.min(slowestPollMs, pollMs * (pace?.() ?? 1) * 2 ** Math.min(this.failures, 8))
    const woken = new AbortController()
    // A failing box is not asked more often because its folder twitches.
    this.wake = () => (this.failures === 0 || this.stop.signal.aborted) && woken.abort()
    await sleep(waitMs, undefined, { signal: woken.signal }).catch(() => {})
    this.wake = () => {}
  }

  private async takeAll(): Promise<void> {
    if (this.finished || this.stop.signal.aborted) return
    try {
      const stat = await this.options.files.stat(this.options.path)
      if (stat === null) {
        // Gone after it was there: what was taken stays valid, and the file may come back.
        this.report(this.identity === null ? 'waiting' : 'lost', 'the file is not there')
        return
      }
      if (await this.isOurs(stat)) await this.takeUpTo(stat)
      this.failures = 0
    } catch (failure) {
      this.failures += 1
      this.report('lost', toAppError(failure).message)
    }
  }

  private async isOurs(stat: FileStat): Promise<boolean> {
    const isOther = this.identity !== null && this.identity !== stat.identity
    if (isOther) await this.takeRotated()
    if (isOther || stat.sizeBytes < this.offset) {
      const next = await this.options.onReplaced(stat)
      if (next === null) {
        this.finished = true
        this.report('lost', 'another file took its place')
        return false
      }
      this.offset = next
    }
    this.identity = stat.identity
    return true
  }

  /** Only from the very file that was followed: a rotation twice within a look leaves what lay between to nobody. */
  private async takeRotated(): Promise<void> {
    const { files, rotatedTo } = this.options
    const old = rotatedTo === undefined ? null : await files.stat(rotatedTo)
    if (rotatedTo === undefined || old === null || old.identity !== this.identity) return
    await this.takeFrom(rotatedTo, old.sizeBytes)
  }

  private async takeUpTo(stat: FileStat): Promise<void> {
    if (this.sizeBytes === null) this.lastHeardAt = stat.modifiedAt
    else if (stat.sizeBytes > this.sizeBytes) this.lastHeardAt = this.options.now()
    this.sizeBytes = stat.sizeBytes
    await this.takeFrom(this.options.path, stat.sizeBytes)
    this.report('live', '')
  }

  private async takeFrom(path: string, sizeBytes: number): Promise<void> {
    let wanted = chunkBytes
    while (this.offset < sizeBytes && !this.stop.signal.aborted) {
      const bytes = await this.options.files.read(
        path,
        this.offset,
        Math.min(wanted, sizeBytes - this.offset),
      )
      if (bytes.length === 0) break
      const taken = await this.options.take(bytes, this.offset)
      this.offset += taken
      if (taken > 0)
        wanted = bytes.length < wanted ? chunkBytes : Math.max(wanted, Math.min(wanted * 2, backlogBytes))
      else if (bytes.length < wanted) break
      else if (wanted >= longestBytes) throw new Error(`a line is longer than ${longestBytes} bytes`)
      else wanted *= 2
    }
  }

  private report(state: TailHealth['state'], detail: string): void {
    this.current = this.healthNow(state, detail)
    this.options.onHealth?.(this.current)
  }

  private healthNow(state: TailHealth['state'], detail: string): TailHealth {
    const { offset, sizeBytes, lastHeardAt } = this
    return { state, detail, offset, sizeBytes, lastHeardAt }
  }
}

/** How many of `bytes` are whole lines: what a reader of lines takes. */
export const wholeLines = (bytes: Uint8Array): number => bytes.lastIndexOf(10) + 1

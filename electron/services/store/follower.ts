import { setTimeout as sleep } from 'node:timers/promises'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { BoxFiles, FileStat } from '../box/files.ts'
import { Tail, type TailHealth, wholeLines } from '../telemetry/tail.ts'
import { AppendFile } from './append-file.ts'
import type { Contents } from './contents.ts'
import { readRange } from './journal.ts'
import type { RunFeed } from './run-feed.ts'
import type { Notice } from './types.ts'

/** The trainer's journal inside a run's folder on its box. */
const journalName = 'events.jsonl'
/** Looked at once when a run is taken up again, to know that the box still has the journal that was mirrored. */
const checkedBytes = 64 * 1024
/** A finished run is looked at this much more seldom: it may be resumed, and its evidence may still be under way. */
const finishedPace = 8

export type FollowerDeps = {
  run: string
  /** Path of the mirror. */
  mirror: string
  files: BoxFiles
  feed: RunFeed
  contents: Contents
  pollMs: number
  now: () => Date
  onNotice: (notice: Notice) => void
  /** When whoever had the mirror before has let it go. */
  after: Promise<unknown>
}

/** Mirrors a run's journal from its box, byte for byte, feeds the index from the mirror, and collects what the journal names. */
export class Follower implements Disposable {
  private readonly deps: FollowerDeps
  private readonly stop = new AbortController()
  private readonly opened: Promise<void>
  private mirror: AppendFile | null = null
  private tail: Tail | null = null
  private checked = false
  private collecting: Promise<void> | null = null
  private wake: () => void = () => {}
  private openFault: AppError | null = null

  constructor(deps: FollowerDeps) {
    this.deps = deps
    this.opened = this.open()
  }

  /** Null until the mirror is open. */
  get health(): TailHealth | null {
    return this.tail?.health ?? null
  }

  start(): this {
    void this.opened.then(() => {
      if (this.stop.signal.aborted) return
      this.tail?.start()
      this.collecting ??= this.collect()
    })
    return this
  }

  /** One look at the box. @throws {AppError} where the journal could not be read to its end. */
  async catchUp(): Promise<void> {
    await this.opened
    if (this.openFault) throw this.openFault
    await this.tail?.poll()
    // A look that was already under way may have begun before the last bytes came.
    await this.tail?.poll()
    if (this.health?.state === 'lost')
      throw new AppError(
        'unreachable',
        `The journal of ${this.deps.run} could not be read to its end: ${this.health.detail.replace(/\.$/, '')}.`,
      )
    await this.deps.feed.catchUp()
  }

  async dispose(): Promise<void> {
    this.stop.abort()
    this.wake()
    await this.opened
    await this.tail?.dispose()
    await this.collecting
    await this.mirror?.dispose()
  }

  private async open(): Promise<void> {
    const { mirror, files, run, onNotice, pollMs, now, feed, after } = this.deps
    try {
      await after
      this.mirror = await AppendFile.open(mirror)
    } catch (failure) {
      this.openFault = toAppError(failure)
      onNotice({ run, level: 'error', text: `${this.openFault.message} ${this.openFault.hint}` })
      return
    }
    if (this.mirror.repairedBytes > 0) {
      const text = `Cut a half-written line of ${this.mirror.repairedBytes} bytes off the journal's copy; it is fetched again.`
      onNotice({ run, level: 'info', text })
    }
    await feed.tryCatchUp()
    this.tail = new Tail({
      files,
      path: journalName,
      offset: this.mirror.sizeBytes,
      pollMs,
      now,
      take: (bytes, offset) => this.take(bytes, offset),
      onReplaced: (stat) => this.replaced(stat),
      onHealth: () => void (feed.isBehind && feed.tryCatchUp()),
      pace: () => (feed.phase === 'finished' ? finishedPace : 1),
    })
  }

  private async take(bytes: Uint8Array, offset: number): Promise<number> {
    const { mirror } = this
    const whole = wholeLines(bytes)
    if (whole === 0 || !mirror) return 0
    if (!this.checked && !(await this.agrees(mirror.sizeBytes - checkedBytes))) throw this.otherJournal()
    this.checked = true
    if (offset !== mirror.sizeBytes)
      throw new AppError('internal', 'The tail and the mirror of the journal are apart.')
    await mirror.append(bytes.subarray(0, whole))
    // The bytes are safe from here on; an index that fails is tried again by itself and must not have them appended twice.
    await this.deps.feed.tryCatchUp()
    this.wake()
    return whole
  }

  private async replaced(stat: FileStat): Promise<number | null> {
    const size = this.mirror?.sizeBytes ?? 0
    if (stat.sizeBytes >= size && (await this.agrees(0))) return size
    this.deps.onNotice({ run: this.deps.run, level: 'error', text: this.otherJournal().message })
    return null
  }

  private otherJournal(): AppError {
    return new AppError(
      'corrupt',
      `The journal of ${this.deps.run} on its box is not the one that was mirrored here; the copy is kept as it is.`,
    )
  }

  /** Whether box and mirror have the same bytes from `offset` to the end of the mirror. */
  private async agrees(offset: number): Promise<boolean> {
    const end = this.mirror?.sizeBytes ?? 0
    for (let at = Math.max(0, offset); at < end; at += checkedBytes) {
      const length = Math.min(checkedBytes, end - at)
      const here = await readRange(this.deps.mirror, at, length)
      const there = await this.deps.files.read(journalName, at, length)
      if (here === null || Buffer.compare(here, there) !== 0) return false
    }
    return true
  }

  /** Fetches what the journal names, as it comes and again where it failed. */
  private async collect(): Promise<void> {
    const { contents, run } = this.deps
    while (!this.stop.signal.aborted) {
      const woken = new AbortController()
      this.wake = () => woken.abort()
      const nextMs = await contents.fetch(run, false).catch(() => 5000)
      if (this.stop.signal.aborted) return
      await sleep(nextMs === null ? 60_000 : Math.max(200, nextMs), undefined, {
        signal: woken.signal,
      }).catch(() => {})
    }
  }
}

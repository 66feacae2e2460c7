import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { KubeClient } from '../client.ts'
import { type LogRequest, openLog, rawLines } from './log-request.ts'

/** A log that falls silent is asked for its last line soon (nodes stop following at a rotation), and then seldom: three small requests a minute. */
const firstAskMs = 3_000
const askMs = 20_000
const answerMs = 10_000
/** A line that was written this moment may still be on its way through the stream. */
const graceMs = 2_000

/**
 * Watches a log that says nothing. A connection that died without a word, and a node that stopped following at a rotation, look like a quiet
 * container; only asking apart for the last line tells them from it.
 */
export class Stall implements Disposable {
  private readonly options: {
    client: KubeClient
    request: LogRequest
    /** Whether a line came through the stream. */
    knows: (raw: string) => boolean
    onStall: (why: AppError) => void
  }
  private timer: NodeJS.Timeout | undefined
  /** Whether the timer is the first of a silence. */
  private isFirst = false
  private ended = false

  constructor(options: Stall['options']) {
    this.options = options
    if (options.request.follow) this.heard()
  }

  /** Bytes came. */
  heard(): void {
    if (this.isFirst) this.timer?.refresh()
    else this.arm(true)
  }

  dispose(): void {
    this.ended = true
    clearTimeout(this.timer)
  }

  private arm(isFirst: boolean): void {
    clearTimeout(this.timer)
    this.isFirst = isFirst
    this.timer = setTimeout(() => void this.ask(), isFirst ? firstAskMs : askMs)
    this.timer.unref()
  }

  private async ask(): Promise<void> {
    this.isFirst = false
    const { knows, onStall } = this.options
    try {
      const unknown = async () => {
        const last = await this.lastLine()
        return last !== null && !knows(last)
      }
      if (await unknown()) {
        await new Promise((resolve) => setTimeout(resolve, graceMs).unref())
        if (!this.ended && (await unknown()))
          return onStall(
            new AppError('unreachable', 'The log went on, and nothing of it came: the stream had stalled.'),
          )
      }
      // What came meanwhile has set a timer of its own.
      if (!this.ended && !this.isFirst) this.arm(false)
    } catch (failure) {
      if (!this.ended) onStall(toAppError(failure))
    }
  }

  private async lastLine(): Promise<string | null> {
    const { client, request } = this.options
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(answerMs)])
    const stream = await openLog(client, { ...request, follow: false, since: null, tail: 1, signal })
    let last: string | null = null
    for await (const lines of rawLines(stream)) last = lines.at(-1) ?? last
    return last
  }
}

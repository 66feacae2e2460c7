import { isEarlier, type LogLine } from './line.ts'

/** Short enough that nobody sees it, long enough that lines of several streams meet. */
const holdMs = 60
/** Held at most, in lines: beyond it the streams wait for the reader. */
const heldLines = 20_000

/**
 * Lines of several logs as one, by time, a log's own order kept. They are held for a moment, for those of another log that were written before
 * them; later ones are not waited for, and come after.
 */
export class Merge {
  private readonly take: (lines: LogLine[]) => void | Promise<void>
  private held = new Map<string, LogLine[]>()
  private count = 0
  private timer: NodeJS.Timeout | null = null
  private busy: Promise<void> = Promise.resolve()

  constructor(take: (lines: LogLine[]) => void | Promise<void>) {
    this.take = take
  }

  /** @returns what to wait for where more is held than should be. */
  add(source: string, lines: LogLine[]): void | Promise<void> {
    const queue = this.held.get(source) ?? []
    // Not spread: a backlog may be more than a call takes arguments.
    for (const line of lines) queue.push(line)
    this.held.set(source, queue)
    this.count += lines.length
    this.timer ??= setTimeout(() => void this.flush(), holdMs)
    return this.count > heldLines ? this.flush() : undefined
  }

  /** Gives everything that is held; resolves when it was taken. */
  flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    const queues = [...this.held.values()]
    this.held = new Map()
    this.count = 0
    const lines = queues.length === 1 ? (queues[0] ?? []) : interleave(queues)
    if (lines.length > 0) this.busy = this.busy.then(() => this.take(lines))
    return this.busy
  }
}

function interleave(queues: LogLine[][]): LogLine[] {
  const heads = queues.map((lines) => ({ lines, at: 0 }))
  const merged: LogLine[] = []
  for (;;) {
    let first: { lines: LogLine[]; at: number } | null = null
    let earliest: LogLine | null = null
    for (const head of heads) {
      const line = head.lines[head.at]
      if (line && (earliest === null || isEarlier(line, earliest))) {
        earliest = line
        first = head
      }
    }
    if (first === null || earliest === null) return merged
    merged.push(earliest)
    first.at += 1
  }
}

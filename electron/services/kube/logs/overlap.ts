/** Whole seconds are all that the API takes for a time; one more, because two streams of a container write slightly out of order. */
const slackSeconds = 1

type Taken = { raw: string; second: number }

/**
 * Where a log that was cut goes on. A log opened again gives every line from a whole second on, in the order of its file; those of them that
 * were taken before are its beginning. They are kept, and what a new stream begins with is held against them one by one, so that neither a
 * line twice written in the same instant is dropped nor one that came before the cut is shown again.
 */
export class Overlap {
  private recent: Taken[] = []
  private newest: number | null = null
  /** What a stream that was opened again is still expected to repeat; null once it gave a line that is new. */
  private expected: Taken[] | null = null
  private at = 0
  private repeated = 0

  /** The time to open the log from, as the API takes it; null for its beginning. */
  get since(): string | null {
    return this.newest === null ? null : new Date((this.newest - slackSeconds) * 1000).toISOString()
  }

  /** A stream begins that was opened with `since`. */
  reopened(): void {
    const from = (this.newest ?? 0) - slackSeconds
    this.expected = this.recent.filter(({ second }) => second >= from)
    this.at = 0
    this.repeated = 0
  }

  /**
   * A line of the stream. @param second of its time, since 1970.
   * @returns `seen` for one that was taken before; `gap` for a new one before which lines may be missing: nothing that was taken before came
   * again, so the file that held it is gone (rotated away), or it is another container's log. A gap's line is to be `taken` once that is known.
   */
  offer(raw: string, second: number): 'seen' | 'new' | 'gap' {
    const verdict = this.judge(raw)
    if (verdict === 'new') this.taken(raw, second)
    return verdict
  }

  /** Whether such a line was among the last that came. */
  knows(raw: string): boolean {
    return this.recent.some((line) => line.raw === raw)
  }

  private judge(raw: string): 'seen' | 'new' | 'gap' {
    const { expected } = this
    if (expected === null) return 'new'
    const found = expected.findIndex((line, index) => index >= this.at && line.raw === raw)
    if (found !== -1) {
      this.at = found + 1
      this.repeated += 1
      return 'seen'
    }
    this.expected = null
    return expected.length > 0 && this.repeated === 0 ? 'gap' : 'new'
  }

  /** Remembers a line as one that was given. */
  taken(raw: string, second: number): void {
    this.recent.push({ raw, second })
    if (this.newest !== null && second <= this.newest) return
    this.newest = second
    const from = second - slackSeconds
    const first = this.recent.findIndex(({ second }) => second >= from)
    if (first > 0) this.recent.splice(0, first)
  }
}

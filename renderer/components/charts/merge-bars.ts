import type { Bar, Segment } from './stack-chart.tsx'

/** What stands for several steps where they are too narrow to be told apart. */
export type Merge = 'mean' | 'greatest'

/** One bar for each run of `size` steps, at their middle; those whose steps are the same bars as before are kept from the call before. */
export class BarMerge {
  private seen: Bar[] = []
  private size = 0
  private how: Merge = 'mean'
  private merged: Bar[] = []
  /** Of each merged bar, which run of steps it is of. */
  private buckets: number[] = []

  /** @param bars in order of their steps; a changed bar is another object. */
  merge(bars: readonly (Bar | null)[], size: number, how: Merge): readonly Bar[] {
    const shown = bars.filter((bar) => bar !== null)
    if (size !== this.size || how !== this.how) this.seen = []
    this.size = size
    this.how = how
    // A later step may still come into the run of the last one that is as it was.
    const last = shown[sameUntil(shown, this.seen) - 1]
    const from = last ? this.bucketOf(last) : Number.NEGATIVE_INFINITY
    while (this.buckets.length > 0 && (this.buckets.at(-1) ?? 0) >= from) {
      this.buckets.pop()
      this.merged.pop()
    }
    this.add(shown, from)
    this.seen = shown
    return this.merged
  }

  private add(shown: Bar[], from: number): void {
    let members: Bar[] = []
    const close = () => {
      const [one] = members
      if (!one) return
      const bucket = this.bucketOf(one)
      this.buckets.push(bucket)
      this.merged.push(this.together(members, bucket))
      members = []
    }
    let at = shown.length
    while (at > 0 && this.bucketOf(shown[at - 1] as Bar) >= from) at -= 1
    for (const bar of shown.slice(at)) {
      if (members[0] && this.bucketOf(members[0]) !== this.bucketOf(bar)) close()
      members.push(bar)
    }
    close()
  }

  private together(members: Bar[], bucket: number): Bar {
    const { size } = this
    if (size === 1 && members[0]) return members[0]
    const step = bucket * size + (size - 1) / 2
    const segments = this.how === 'mean' ? meanSegments(members) : (greatest(members)?.segments ?? [])
    return { step, segments }
  }

  private bucketOf(bar: Bar): number {
    return Math.floor(bar.step / this.size)
  }
}

function sameUntil(now: readonly Bar[], before: readonly Bar[]): number {
  let at = 0
  while (at < now.length && now[at] === before[at]) at += 1
  return at
}

const totalOf = (bar: Bar) => bar.segments.reduce((sum, segment) => sum + segment.value, 0)

const greatest = (bars: Bar[]): Bar | undefined =>
  bars.reduce<Bar | undefined>((most, bar) => (most && totalOf(most) >= totalOf(bar) ? most : bar), undefined)

/** Parts of the same look are the same part; one that a bar lacks counts as none there. Order: that of the fullest bar, then as met. */
function meanSegments(bars: Bar[]): Segment[] {
  const sums = new Map<string, Segment>()
  const byParts = bars.toSorted((a, b) => b.segments.length - a.segments.length)
  for (const { segments } of byParts) {
    for (const segment of segments) {
      const key = `${segment.token} ${segment.style}`
      const held = sums.get(key)
      sums.set(key, { ...segment, value: (held?.value ?? 0) + segment.value / bars.length })
    }
  }
  return [...sums.values()]
}

/** A half-open interval `[start, end)` of an input. */
export type Interval = { start: number; end: number }

/**
 * The intervals in a case's input, for drawing it. An input is the JSON text of an argument list; it can be drawn where its first argument
 * is a list of pairs of numbers `[start, end]` with start ≤ end, none so large that it would lose its spelling.
 *
 * @returns null where the input is anything else, or has more than `limit` intervals: then it is shown as text only.
 */
export function intervalsOf(input: string, limit = 400): Interval[] | null {
  const list = firstArgument(input)
  if (list === null || list.length === 0 || list.length > limit) return null
  const intervals: Interval[] = []
  for (const item of list) {
    if (!Array.isArray(item) || item.length !== 2) return null
    const [start, end] = item as unknown[]
    if (typeof start !== 'number' || typeof end !== 'number' || start > end) return null
    if (Math.max(Math.abs(start), Math.abs(end)) > Number.MAX_SAFE_INTEGER) return null
    intervals.push({ start, end })
  }
  return intervals
}

function firstArgument(input: string): unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(input)
    const first = Array.isArray(parsed) ? (parsed[0] as unknown) : null
    return Array.isArray(first) ? first : null
  } catch {
    return null
  }
}

/** Points where some interval ends exactly where another starts: there half-open and closed readings part. Ascending, each once. */
export function touchingPoints(intervals: Interval[]): number[] {
  const starts = new Set(intervals.map((interval) => interval.start))
  const ends = new Set(intervals.map((interval) => interval.end))
  return [...ends].filter((end) => starts.has(end)).sort((a, b) => a - b)
}

/** Rows in which intervals can be drawn without covering one another: each goes into the first row that is free at its start. */
export function packRows(intervals: Interval[]): number[] {
  const order = intervals.map((interval, index) => ({ interval, index }))
  order.sort((a, b) => a.interval.start - b.interval.start || a.index - b.index)
  const rowEnds: number[] = []
  const rows = new Array<number>(intervals.length).fill(0)
  for (const { interval, index } of order) {
    // Touching intervals take separate rows: one bar running into the next would hide the very boundary in question.
    const free = rowEnds.findIndex((end) => end < interval.start)
    const row = free === -1 ? rowEnds.length : free
    rowEnds[row] = interval.end
    rows[index] = row
  }
  return rows
}

/** A changed range: `[fromA, toA)` of the first sequence stands against `[fromB, toB)` of the second. Either may be empty. */
export type Span = { fromA: number; toA: number; fromB: number; toB: number }

/**
 * The shortest edit script between two sequences, as changed spans in order (E. W. Myers, "An O(ND) difference algorithm and its
 * variations", 1986, the greedy forward form). Items are compared as numbers, so callers intern lines or tokens first.
 *
 * @param limit edits after which the search gives up; its trace takes `limit`² numbers, so 1,000 is 4 MB.
 * @returns null where the sequences differ by more than `limit` edits.
 */
export function editSpans(a: ArrayLike<number>, b: ArrayLike<number>, limit: number): Span[] | null {
  const start = commonStart(a, b)
  const end = commonEnd(a, b, start)
  const n = a.length - start - end
  const m = b.length - start - end
  if (n === 0 && m === 0) return []
  if (n === 0 || m === 0) return [{ fromA: start, toA: start + n, fromB: start, toB: start + m }]
  const trace = search(a, b, start, n, m, Math.min(limit, n + m))
  if (trace === null) return null
  return spansOf(trace, start, n, m)
}

function commonStart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[at] === b[at]) at++
  return at
}

function commonEnd(a: ArrayLike<number>, b: ArrayLike<number>, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let count = 0
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  return count
}

/** Furthest x on every diagonal k = x − y before each depth; diagonal k lies at index k + depth + 1. */
function search(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  start: number,
  n: number,
  m: number,
  limit: number,
): Int32Array[] | null {
  const middle = limit + 1
  const furthest = new Int32Array(2 * limit + 3)
  const trace: Int32Array[] = []
  for (let depth = 0; depth <= limit; depth++) {
    trace.push(furthest.slice(middle - depth - 1, middle + depth + 2))
    for (let k = -depth; k <= depth; k += 2) {
      const down = furthest[middle + k + 1] ?? 0
      const right = furthest[middle + k - 1] ?? 0
      let x = k === -depth || (k !== depth && right < down) ? down : right + 1
      while (x < n && x - k < m && a[start + x] === b[start + x - k]) x++
      furthest[middle + k] = x
      if (x >= n && x - k >= m) return trace
    }
  }
  return null
}

function spansOf(trace: Int32Array[], start: number, n: number, m: number): Span[] {
  const spans: Span[] = []
  let x = n
  let y = m
  for (let depth = trace.length - 1; depth > 0; depth--) {
    const before = trace[depth]
    const at = (k: number) => before?.[k + depth + 1] ?? 0
    const k = x - y
    const down = k === -depth || (k !== depth && at(k - 1) < at(k + 1))
    const fromX = at(down ? k + 1 : k - 1)
    const fromY = fromX - (down ? k + 1 : k - 1)
    const editX = down ? fromX : fromX + 1
    const editY = down ? fromY + 1 : fromY
    const last = spans.at(-1)
    if (last && last.fromA === editX + start && last.fromB === editY + start) {
      last.fromA = fromX + start
      last.fromB = fromY + start
    } else {
      spans.push({
        fromA: fromX + start,
        toA: editX + start,
        fromB: fromY + start,
        toB: editY + start,
      })
    }
    x = fromX
    y = fromY
  }
  return spans.reverse()
}

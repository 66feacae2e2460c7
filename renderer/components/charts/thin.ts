/** Columns of a chart: ascending x and, for each series, a value or a gap at every x. */
export type Columns = { x: readonly number[]; series: readonly (readonly (number | null)[])[] }

/**
 * Thins columns to what a screen can show: in each pixel of x, every series keeps its least and its greatest value, in their own order, at two
 * places; a gap inside a pixel stays a gap, at a third. A mean or every n-th point would hide the spike that one looks for.
 *
 * @param width pixels that `domain` covers. Columns that fit already are returned as they are.
 */
export function thin(columns: Columns, domain: [number, number], width: number): Columns {
  const { x, series } = columns
  const pixels = Math.max(1, Math.floor(width))
  if (x.length <= 2 * pixels) return columns
  const out: Thinned = { x: [], series: series.map(() => []) }
  const pixelOf = (value: number) => Math.floor(((value - domain[0]) / (domain[1] - domain[0])) * pixels)
  for (let from = 0; from < x.length; ) {
    const pixel = pixelOf(x[from] ?? 0)
    let to = from + 1
    while (to < x.length && pixelOf(x[to] ?? 0) === pixel) to++
    takePixel(columns, from, to, out)
    from = to
  }
  return out
}

type Thinned = { x: number[]; series: (number | null)[][] }

function takePixel({ x, series }: Columns, from: number, to: number, out: Thinned): void {
  const first = x[from] ?? 0
  const last = x[to - 1] ?? first
  if (to - from <= 2) {
    for (let at = from; at < to; at++) {
      out.x.push(x[at] ?? first)
      for (const [index, values] of series.entries()) out.series[index]?.push(values[at] ?? null)
    }
    return
  }
  const picked = series.map((values) => extremes(values, from, to))
  const anyGap = picked.some((pick) => pick.gap)
  out.x.push(first)
  if (anyGap) out.x.push((first + last) / 2)
  out.x.push(last)
  picked.forEach((pick, index) => {
    const target = out.series[index]
    target?.push(pick.first)
    if (anyGap) target?.push(pick.gap ? null : pick.first)
    target?.push(pick.second)
  })
}

function extremes(values: readonly (number | null)[], from: number, to: number) {
  let low = -1
  let high = -1
  let gap = false
  for (let at = from; at < to; at++) {
    const value = values[at] ?? null
    if (value === null) {
      gap = true
      continue
    }
    if (low === -1 || value < (values[low] ?? 0)) low = at
    if (high === -1 || value > (values[high] ?? 0)) high = at
  }
  if (low === -1) return { first: null, second: null, gap: false }
  return {
    first: values[Math.min(low, high)] ?? null,
    second: values[Math.max(low, high)] ?? null,
    gap,
  }
}

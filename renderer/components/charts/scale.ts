/** A linear map of `from` onto `to` (pixels). A domain without extent maps to the middle. */
export type Scale = { at: (value: number) => number; invert: (pixel: number) => number }

export function linearScale(from: [number, number], to: [number, number]): Scale {
  const span = from[1] - from[0]
  const ratio = span === 0 ? 0 : (to[1] - to[0]) / span
  return {
    at: (value) => (span === 0 ? (to[0] + to[1]) / 2 : to[0] + (value - from[0]) * ratio),
    invert: (pixel) => (ratio === 0 ? from[0] : from[0] + (pixel - to[0]) / ratio),
  }
}

/**
 * The step axis that every chart of a run shares: from half a step before the first to half a step after the last planned one, so that a
 * bar or a column of marks of any step fits.
 */
export function stepDomain(
  first: number | null,
  last: number | null,
  planned: number | null,
): [number, number] {
  const start = first ?? 1
  const end = Math.max(planned === null ? start : start + planned - 1, last ?? start)
  return [start - 0.6, end + 0.6]
}

/** Round numbers (1, 2 or 5 times a power of ten) inside a domain, about `count` of them. */
export function niceTicks([low, high]: [number, number], count: number): number[] {
  if (!(high > low) || count < 1) return [low]
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const unit = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10
  const size = unit * power
  const ticks: number[] = []
  for (let n = Math.ceil(low / size - 1e-9); n * size <= high + size * 1e-9; n++)
    ticks.push(Number((n * size).toPrecision(12)))
  return ticks
}

/** Whole steps to label, at least `least` pixels apart. */
export function stepTicks(domain: [number, number], width: number, least = 34): number[] {
  const count = Math.max(1, Math.floor(width / least))
  const whole = niceTicks(domain, Math.min(count, domain[1] - domain[0]))
  return whole.filter((tick) => Number.isInteger(tick) && tick >= domain[0] && tick <= domain[1])
}

/** A domain for values: with a little air, never without extent; null where there is nothing to show. */
export function valueDomain(
  values: readonly (number | null)[],
  include: number[] = [],
): [number, number] | null {
  let low = Number.POSITIVE_INFINITY
  let high = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value === null) continue
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  if (low > high) return null
  for (const value of include) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const air = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1
  return [include.includes(low) ? low : low - air, high + air]
}

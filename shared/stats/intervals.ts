import { studentQuantile } from './student.ts'

export type Interval = { low: number; high: number }

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** Standard deviation with n − 1 below; null for fewer than two values. */
export function sampleStd(values: readonly number[]): number | null {
  const centre = mean(values)
  if (centre === null || values.length < 2) return null
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1))
}

/** Mean ± t(n − 1, (1 + confidence) / 2) · sd / √n. Null for fewer than two values: one seed has no interval. */
export function meanInterval(values: readonly number[], confidence = 0.95): Interval | null {
  const centre = mean(values)
  const deviation = sampleStd(values)
  if (centre === null || deviation === null) return null
  const half =
    (studentQuantile((1 + confidence) / 2, values.length - 1) * deviation) / Math.sqrt(values.length)
  return { low: centre - half, high: centre + half }
}

/** 97.5 % point of the standard normal distribution. */
const z95 = 1.959963984540054

/**
 * Wilson's score interval (1927) for a share of `successes` in `n` independent trials, at 95 %. Stays inside [0, 1] and is not
 * degenerate at 0 and n, where the usual approximation claims certainty. Null for n = 0.
 */
export function wilsonInterval(successes: number, n: number): Interval | null {
  if (n === 0) return null
  const share = successes / n
  const centre = share + (z95 * z95) / (2 * n)
  const half = z95 * Math.sqrt((share * (1 - share)) / n + (z95 * z95) / (4 * n * n))
  const scale = 1 + (z95 * z95) / n
  // At both ends the bound is the end itself, which rounding would miss by a hair.
  return {
    low: successes <= 0 ? 0 : Math.max(0, (centre - half) / scale),
    high: successes >= n ? 1 : Math.min(1, (centre + half) / scale),
  }
}

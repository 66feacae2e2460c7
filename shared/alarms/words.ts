export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** A duration in words short enough for a title; ms. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 99.5) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

export const figure = (value: number): string => String(Number(value.toPrecision(3)))

export const count = (n: number, noun: string, many = `${noun}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? noun : many}`

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

export const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

/** The values that are known. */
export const known = <T>(items: readonly T[], of: (item: T) => number | null): number[] =>
  items.map(of).filter((value) => value !== null)

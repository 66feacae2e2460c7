/** How figures are written, once: a number always with its unit, unknown always as a dash and never as 0. */
export const unknown = '–'

/** `0.3 s`, `14 s`, `6 min`, `2.5 h`, `3 d`. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return unknown
  const seconds = ms / 1000
  if (seconds < 0.0995) return `${Math.round(ms)} ms`
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 99.5) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3600) return `${(seconds / 3600).toFixed(1)} h`
  return `${Math.round(seconds / 86400)} d`
}

/** A share as a whole per cent; 0 and 100 are kept for exactly that. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return unknown
  const percent = (100 * part) / whole
  if (part > 0 && percent < 0.5) return '<1 %'
  if (part < whole && percent > 99.5) return '>99 %'
  return `${Math.round(percent)} %`
}

/** Up to three significant digits, or as many as asked for, without a tail of zeros; `e` notation outside 0.001 to 99,999. */
export function formatNumber(value: number | null, digits = 3): string {
  if (value === null || !Number.isFinite(value)) return unknown
  const size = Math.abs(value)
  if (size !== 0 && (size < 0.001 || size >= 100_000)) return value.toExponential(1)
  if (size >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(digits)))
}

/** A reward with two digits after the point, as it is compared by eye. */
export const formatReward = (value: number | null): string => (value === null ? 'null' : value.toFixed(2))

/** With its sign: `+0.87`. */
export const formatSigned = (value: number | null): string =>
  value === null ? unknown : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function formatBytes(bytes: number | null): string {
  if (bytes === null) return unknown
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 99.5 ? Math.round(value) : Number(value.toPrecision(3))} ${units[power]}`
}

export const formatCount = (count: number): string => count.toLocaleString('en')

/** `4 rollouts`, `1 rollout`. */
export const plural = (count: number, noun: string, many = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : many}`

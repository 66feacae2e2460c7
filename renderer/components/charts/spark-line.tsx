import './charts.css'

type Props = {
  values: readonly (number | null)[]
  /** How many values the whole width stands for; fewer leave the rest empty. */
  planned: number
  width?: number
  height?: number
  label: string
}

/** A small line of values between 0 and 1. A null is a gap. */
export function SparkLine({ values, planned, width = 108, height = 26, label }: Props) {
  const count = Math.max(planned, values.length, 2)
  // A line of more corners than pixels is the same picture at more cost; the last of each pixel's values stands for it.
  const every = Math.max(1, Math.floor(count / (2 * width)))
  const x = (index: number) => 1.5 + (index / (count - 1)) * (width - 3)
  const y = (value: number) => height - 2 - Math.min(1, Math.max(0, value)) * (height - 4)
  let path = ''
  let open = false
  let last: { x: number; y: number } | null = null
  values.forEach((value, index) => {
    if (index % every !== 0 && index !== values.length - 1) return
    if (value === null) {
      open = false
      return
    }
    last = { x: x(index), y: y(value) }
    path += `${open ? 'L' : 'M'}${last.x.toFixed(1)} ${last.y.toFixed(1)}`
    open = true
  })
  const end = last as { x: number; y: number } | null
  return (
    <svg
      className="spark-line"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <path d={`M0 ${height - 1.5}H${width}`} stroke="var(--line)" />
      <path d={path} fill="none" stroke="var(--accent)" strokeWidth="1.4" strokeLinejoin="round" />
      {end && <circle cx={end.x} cy={end.y} r="1.8" fill="var(--accent)" />}
    </svg>
  )
}

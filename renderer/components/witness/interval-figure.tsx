import { type Interval, packRows, touchingPoints } from '#shared/rollouts/intervals.ts'
import './witness.css'

const barHeight = 9
const rowsAtFullHeight = 10
/** Per cent of the width between two labels below which the later one is left out. */
const labelRoom = 11

/** Intervals as bars over their axis; a dashed line where one ends exactly as another starts, which is where readings part. */
export function IntervalFigure({ intervals }: { intervals: Interval[] }) {
  const low = Math.min(...intervals.map((interval) => interval.start))
  const high = Math.max(...intervals.map((interval) => interval.end))
  const span = high - low || 1
  const percent = (value: number) => 8 + (84 * (value - low)) / span
  const rows = packRows(intervals)
  const rowCount = Math.max(...rows) + 1
  const pitch = rowCount <= rowsAtFullHeight ? 16 : Math.max(3, 160 / rowCount)
  const height = rowCount * pitch + 8
  const touching = touchingPoints(intervals)
  return (
    <svg
      className="intervals"
      width="100%"
      height={height + 16}
      role="img"
      aria-label={`${intervals.length} intervals from ${low} to ${high}; touching at ${touching.join(', ') || 'no point'}`}
    >
      {intervals.map(({ start, end }, index) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: equal intervals are told apart by their place alone
          key={index}
          className={(rows[index] ?? 0) % 2 === 0 ? 'bar' : 'bar other'}
          x={`${percent(start)}%`}
          width={`${Math.max(0.6, percent(end) - percent(start))}%`}
          y={6 + (rows[index] ?? 0) * pitch}
          height={Math.min(barHeight, pitch - 1)}
        >
          <title>{`[${start}, ${end})`}</title>
        </rect>
      ))}
      {touching.map((point) => (
        <line
          key={point}
          className="touch"
          x1={`${percent(point)}%`}
          x2={`${percent(point)}%`}
          y1={0}
          y2={height}
        />
      ))}
      {labels(intervals, touching, percent).map((value) => (
        <text
          key={value}
          className={touching.includes(value) ? 'touching' : undefined}
          x={`${percent(value)}%`}
          y={height + 12}
          textAnchor="middle"
        >
          {value}
        </text>
      ))}
    </svg>
  )
}

/** Touching points first, then the ends of the axis, then whatever still has room. */
function labels(intervals: Interval[], touching: number[], percent: (value: number) => number): number[] {
  const ends = [...new Set(intervals.flatMap((interval) => [interval.start, interval.end]))].sort(
    (a, b) => a - b,
  )
  const kept: number[] = []
  for (const value of [...touching, ends[0] ?? 0, ends.at(-1) ?? 0, ...ends]) {
    if (kept.every((other) => Math.abs(percent(other) - percent(value)) >= labelRoom)) kept.push(value)
  }
  return kept
}

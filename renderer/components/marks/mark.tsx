import './marks.css'
import { outlineOf, pathData } from './shapes.ts'
import { type MarkStatus, statusInfo } from './status-info.ts'

/** The mark of a status as an inline picture, `size` px square. Named for assistive technology unless its label stands beside it. */
export function Mark({
  status,
  size = 11,
  named = false,
}: {
  status: MarkStatus
  size?: number
  named?: boolean
}) {
  const { shape, token, label } = statusInfo(status)
  const outline = outlineOf(shape)
  const centre = size / 2
  const radius = size / 2.7
  const colour = `var(--${token.replaceAll('_', '-')})`
  const paint = outline.fill
    ? { fill: colour }
    : { fill: 'none', stroke: colour, strokeWidth: outline.stroke * radius }
  return (
    <svg
      className="mark"
      width={size}
      height={size}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={named ? label : undefined}
      aria-hidden={!named}
    >
      {outline.kind === 'circle' ? (
        <circle cx={centre} cy={centre} r={outline.radius * radius} {...paint} />
      ) : (
        <path d={pathData(outline.points, centre, centre, radius, outline.fill)} {...paint} />
      )}
    </svg>
  )
}

/** A mark with its status in words. */
export function StatusLabel({ status }: { status: MarkStatus }) {
  return (
    <span className="status-label">
      <Mark status={status} />
      {statusInfo(status).label}
    </span>
  )
}

import { useMemo } from 'react'
import type { AuditView } from '#shared/ipc/contract.ts'
import { formatCount, plural } from '../../app/format.ts'
import { Panel } from '../../components/ui/panel.tsx'
import { bodyFilter, door } from './doors.ts'

type Score = AuditView['scores'][number]
type Placed = Score & { x: number; y: number; radius: number; kind: 'right' | 'false' | 'other' }

type Props = { audit: AuditView; selected: string | null; onSelect: (bodySha256: string) => void }

/**
 * Programs by their share of the training suite and of the audit, one dot for all with the same scores. A dot opens its draws; a false
 * acceptance is selected in the list instead.
 */
export function ScoreScatter({ audit, selected, onSelect }: Props) {
  const placed = useMemo(
    () => audit.scores.flatMap(place).sort((a, b) => order[a.kind] - order[b.kind] || b.radius - a.radius),
    [audit.scores],
  )
  const uncounted = programsOf(audit.scores) - programsOf(placed)
  return (
    <Panel
      title="Training score against audit"
      note="a dot’s area: its draws; right edge: full marks in training"
      aside={uncounted === 0 ? undefined : `${formatCount(uncounted)} without counts`}
      className="audit-scatter"
    >
      <p className="visually-hidden">{describeScores(placed)}</p>
      <svg width="100%" height="100%" aria-hidden="true" focusable="false">
        <Axes />
        {placed.map((score) => (
          <a
            key={score.bodySha256}
            href={door(audit.run, rowsOf(score))}
            tabIndex={-1}
            onClick={(event) => {
              if (score.kind !== 'false') return
              event.preventDefault()
              onSelect(score.bodySha256)
            }}
          >
            <circle
              className={`dot ${score.kind} ${score.bodySha256 === selected ? 'on' : ''}`}
              cx={`${score.x}%`}
              cy={`${score.y}%`}
              r={score.radius}
            >
              <title>{`${plural(score.programs, 'program')}: ${score.passed}/${score.tests} in training, ${score.auditPassed}/${score.auditTotal} in the audit, ${plural(score.draws, 'draw')}`}</title>
            </circle>
          </a>
        ))}
      </svg>
    </Panel>
  )
}

const programsOf = (scores: readonly Score[]) => scores.reduce((sum, { programs }) => sum + programs, 0)

/** The draws behind a dot. An audit's score is kept as a share, so it is met within half a test. */
function rowsOf({ programs, bodySha256, passed, auditPassed, auditTotal }: Placed): string {
  if (programs === 1) return bodyFilter(bodySha256)
  const at = (count: number) => count / (auditTotal ?? 1)
  return `passed=${passed} audit>${at((auditPassed ?? 0) - 0.5)} audit<${at((auditPassed ?? 0) + 0.5)}`
}

const order = { other: 0, right: 1, false: 2 }

/** Room at the edges, in per cent, so that dots on them are whole. */
const frame = { left: 8, right: 95, top: 12, bottom: 84 }
const acrossOf = (share: number) => frame.left + (frame.right - frame.left) * share
const downOf = (share: number) => frame.bottom - (frame.bottom - frame.top) * share

function place(score: Score): Placed[] {
  const { passed, tests, auditPassed, auditTotal, draws } = score
  if (passed === null || !tests || auditPassed === null || !auditTotal) return []
  const full = passed === tests
  const kind = !full ? 'other' : auditPassed === auditTotal ? 'right' : 'false'
  const radius = Math.min(11, 2 + Math.sqrt(draws) * 0.55)
  return [{ ...score, x: acrossOf(passed / tests), y: downOf(auditPassed / auditTotal), radius, kind }]
}

function Axes() {
  return (
    <>
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line
            className="grid"
            x1={`${frame.left}%`}
            x2={`${frame.right}%`}
            y1={`${downOf(share)}%`}
            y2={`${downOf(share)}%`}
          />
          <text x={`${frame.left - 1}%`} y={`${downOf(share)}%`} dy="0.32em" textAnchor="end">
            {share === 0 ? '' : share}
          </text>
          <text x={`${acrossOf(share)}%`} y="98%" textAnchor="middle">
            {share}
          </text>
        </g>
      ))}
      <line
        className="full"
        x1={`${acrossOf(1)}%`}
        x2={`${acrossOf(1)}%`}
        y1={`${downOf(1)}%`}
        y2={`${downOf(0)}%`}
      />
    </>
  )
}

function describeScores(placed: Placed[]): string {
  const count = (kind: Placed['kind']) => programsOf(placed.filter((score) => score.kind === kind))
  return `${plural(programsOf(placed), 'program')}: ${count('right')} right with full marks, ${count('false')} with full marks that the audit rejects`
}

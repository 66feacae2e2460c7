import type { Status } from '#shared/domain/grade.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { LiveDelta, LivePoint } from '#shared/ipc/contract.ts'
import type { Database } from '../store/index/database.ts'
import { type SavedRun, savedMemory, savedSteps } from '../store/saved-run.ts'

/** Points a reply: some 700 KB, a few ms to make, to send and to draw. */
export const pointsAtOnce = 5000
/** Of lists that only grow, what a reply carries; the whole is in `runs.state`. */
const lastFew = 200

type PointRow = {
  rev: number
  rollout: string
  step: number
  grp: number
  idx: number
  task: string
  status: Status | 'pending'
  reward: number | null
  audit_status: Status | null
}

export type Delta = Pick<
  LiveDelta,
  'seq' | 'reset' | 'more' | 'state' | 'steps' | 'points' | 'memory' | 'blocks'
>

/**
 * What changed after `afterSeq`: a revision of the run's rows, each changed row having one of its own, so that a reply may be cut anywhere and the next
 * goes on there with nothing lost. A point that changes again moves to a new revision and is sent again.
 */
export function since(db: Database, saved: SavedRun, afterSeq: number, limit = pointsAtOnce): Delta {
  const { id, base, rev, state } = saved
  const reset = afterSeq < base || afterSeq > rev
  const after = reset ? base - 1 : afterSeq
  const rows = db.all<PointRow>(
    `SELECT rev, rollout, step, grp, idx, task, status, reward, audit_status FROM rollouts
    WHERE run = ? AND step IS NOT NULL AND rev > ? ORDER BY rev LIMIT ?`,
    id,
    after,
    limit + 1,
  )
  const more = rows.length > limit
  const shown = rows.slice(0, limit)
  const seq = more ? (shown.at(-1)?.rev ?? rev) : rev
  return {
    seq,
    reset,
    more,
    state: {
      ...state,
      alerts: state.alerts.slice(-lastFew),
      checkpoints: state.checkpoints.slice(-lastFew),
      faults: state.faults.slice(-lastFew),
      blocks: state.blocks.slice(-lastFew),
    },
    steps: savedSteps(db, id, after, seq),
    points: shown.map(point),
    memory: savedMemory(db, id, after, seq),
    blocks: state.blocks.slice(-lastFew),
  }
}

const point = (row: PointRow): LivePoint => ({
  id: row.rollout,
  step: row.step,
  g: row.grp,
  i: row.idx,
  task: row.task,
  s: row.status,
  r: row.reward,
  a: row.audit_status === null || !isGraded(row.audit_status) ? null : row.audit_status === 'passed',
})

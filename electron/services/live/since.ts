import type { Status } from '#shared/domain/grade.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { LiveDelta, LivePoint } from '#shared/ipc/contract.ts'
import type { Database } from '../store/index/database.ts'
import { type SavedRun, savedMemory, savedSteps } from '../store/saved-run.ts'

/** Points a reply: some 700 KB, a few ms to make, to send and to draw. */
export const pointsAtOnce = 5000
/** Steps a reply: a row is about 1 KB, more where many tasks are drawn, and the window looks at each for alarms: some 40 ms of its time. */
export const stepsAtOnce = 500
/** Points that are told: of the latest steps, as many as a window keeps. What came before is in the rows of its steps. */
export const pointsAtStart = 20_000
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
  'seq' | 'reset' | 'more' | 'state' | 'steps' | 'points' | 'memory' | 'blocks' | 'judged'
>

/**
 * What changed after `afterSeq`: a revision of the run's rows, each changed row having one of its own, so that a reply may be cut anywhere and the next
 * goes on there with nothing lost. A point that changes again moves to a new revision and is sent again.
 */
export function since(
  db: Database,
  saved: SavedRun,
  afterSeq: number,
  limit = pointsAtOnce,
  atStart = pointsAtStart,
): Delta {
  const { id, base, rev, state } = saved
  const reset = afterSeq < base || afterSeq > rev
  const after = reset ? base - 1 : afterSeq
  const upTo = lastOfSteps(db, id, after, rev)
  const first = firstStepTold(db, saved, atStart)
  const rows = db.all<PointRow>(
    `SELECT rev, rollout, step, grp, idx, task, status, reward, audit_status FROM rollouts
    WHERE run = ? AND step IS NOT NULL AND rev > ? AND rev <= ? AND step >= ? ORDER BY rev LIMIT ?`,
    id,
    after,
    upTo,
    first,
    limit + 1,
  )
  const isCut = rows.length > limit
  const shown = rows.slice(0, limit)
  const seq = isCut ? (shown.at(-1)?.rev ?? upTo) : upTo
  return {
    seq,
    reset,
    more: seq < rev,
    state: {
      ...state,
      alerts: state.alerts.slice(-lastFew),
      checkpoints: state.checkpoints.slice(-lastFew),
      faults: state.faults.slice(-lastFew),
      blocks: state.blocks.slice(-lastFew),
    },
    // What a step was to draw is in its rollouts; of a long run the prompts alone would be a tenth of what is sent.
    steps: savedSteps(db, id, after, seq).map((row) => ({ ...row, prompts: [] })),
    points: shown.map(point),
    memory: savedMemory(db, id, after, seq),
    blocks: state.blocks.slice(-lastFew),
    judged: reset && first > 0 && state.spec?.audit ? judgedBefore(db, id, first) : [],
  }
}

const hopeless = ['no_answer', 'tampered', 'build_failed'] as const

/**
 * What the audit says of the steps before `first`, by the index of its rewards: a look a body that it has judged. What had no body or was stopped fails
 * there too, and is counted by the steps' own rows.
 */
function judgedBefore(db: Database, id: number, first: number): LiveDelta['judged'] {
  const audited = db.all<{ step: number; passed: number; judged: number; counted: number }>(
    `SELECT step, count(*) FILTER (WHERE audit_status = 'passed') AS passed, count(*) AS judged,
      count(*) FILTER (WHERE status IN (${hopeless.map((status) => `'${status}'`).join(', ')})) AS counted
    FROM rollouts INDEXED BY rollouts_audit WHERE run = ? AND by_audit < 9e98 AND step < ? GROUP BY step ORDER BY step`,
    id,
    first,
  )
  const failed = db.all<{ step: number; failed: number }>(
    `SELECT step, ${hopeless.map((status) => `coalesce(row ->> '$.byStatus.${status}', 0)`).join(' + ')} AS failed
    FROM steps WHERE run = ? AND step < ?`,
    id,
    first,
  )
  const failedIn = new Map(failed.map((row) => [row.step, row.failed]))
  return audited.map(({ step, passed, judged, counted }) => ({
    step,
    passed,
    judged: judged + Math.max(0, (failedIn.get(step) ?? 0) - counted),
  }))
}

/** Where a reply must end so that it carries no more than `stepsAtOnce` rows. */
function lastOfSteps(db: Database, id: number, after: number, rev: number): number {
  const found = db.get<{ rev: number }>(
    'SELECT rev FROM steps WHERE run = ? AND rev > ? ORDER BY rev LIMIT 1 OFFSET ?',
    id,
    after,
    stepsAtOnce - 1,
  )
  return found?.rev ?? rev
}

/** Share of the points told that may be told too many, as a window forgets them, before the first step told is looked for again. */
const lookAgainAfter = 1 / 40
const lastTold = new WeakMap<Database, Map<number, { atStart: number; rollouts: number; first: number }>>()

/**
 * The first step whose points are told. A window would forget those of earlier ones at once, and an audit, which touches rollouts of all steps, must
 * not bring them back. Steps in which nothing was drawn cost a look each, so only so many are looked at, and only now and then.
 */
function firstStepTold(db: Database, { id, state: { rollouts } }: SavedRun, atStart: number): number {
  if (rollouts <= atStart) return 0
  const runs = lastTold.get(db) ?? new Map<number, { atStart: number; rollouts: number; first: number }>()
  lastTold.set(db, runs)
  const held = runs.get(id)
  const grown = held === undefined ? -1 : rollouts - held.rollouts
  if (held?.atStart === atStart && grown >= 0 && grown < atStart * lookAgainAfter) return held.first
  const first = lookForFirst(db, id, atStart)
  runs.set(id, { atStart, rollouts, first })
  return first
}

function lookForFirst(db: Database, id: number, atStart: number): number {
  const rows = db.all<{ step: number; generated: number }>(
    `SELECT step, row ->> '$.generated' AS generated FROM steps WHERE run = ? ORDER BY step DESC LIMIT 2000`,
    id,
  )
  let told = 0
  for (const { step, generated } of rows) {
    told += generated
    if (told > atStart) return step
  }
  return rows.at(-1)?.step ?? 0
}

/**
 * Of the whole run, by the index of false acceptances alone: left to itself SQLite takes the one of revisions and reads every rollout, half a second
 * a pull where there are a million.
 */
export function falseAccepted(db: Database, run: string): LiveDelta['falseAccepted'] {
  const where = `rollouts INDEXED BY rollouts_false
    WHERE run = (SELECT id FROM runs WHERE run = ?) AND false_acceptance = 1 AND step IS NOT NULL`
  const count = db.get<{ n: number }>(`SELECT count(*) AS n FROM ${where}`, run)?.n ?? 0
  const first = db.get<{ step: number }>(`SELECT step FROM ${where} ORDER BY n LIMIT 1`, run)
  return { count, firstStep: first?.step ?? null }
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

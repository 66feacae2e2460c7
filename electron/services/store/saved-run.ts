import { AppError } from '#shared/base/errors.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { MemorySample, RunState, StepRow } from '#shared/journal/state.ts'
import type { Database } from './index/database.ts'

export type SavedRun = {
  id: number
  base: number
  rev: number
  state: Omit<RunState, 'steps' | 'memory'>
  tornDown: boolean
}

type Row = {
  id: number
  base: number
  rev: number
  state: string
  torn_down: number
  interrupted_at: string | null
  interrupted_why: string | null
  spec: string | null
}

/** Samples given out at most: as many as a reducer keeps. */
const samplesShown = 4096

/** What the index says of a run. @throws {AppError} `not_found` */
export function savedRun(db: Database, run: string): SavedRun {
  const row = db.get<Row>(
    'SELECT id, base, rev, state, torn_down, interrupted_at, interrupted_why, spec FROM runs WHERE run = ?',
    run,
  )
  if (!row) throw new AppError('not_found', `There is no run ${run}.`)
  const { steps: _, memory: __, ...state } = JSON.parse(row.state) as RunState
  const spec = state.spec ?? (row.spec === null ? null : (JSON.parse(row.spec) as RunSpec))
  return {
    id: row.id,
    base: row.base,
    rev: row.rev,
    state: withInterruption(
      { ...state, run, spec, planned: state.planned ?? spec?.trainer.updates ?? null },
      row,
    ),
    tornDown: row.torn_down === 1,
  }
}

/** A run whose trainer vanished never says so itself: the console's record ends it, until the journal goes on. */
function withInterruption(state: SavedRun['state'], row: Row): SavedRun['state'] {
  const { interrupted_at: at, interrupted_why: reason } = row
  const wentOn = at !== null && state.lastAt !== null && Date.parse(state.lastAt) > Date.parse(at)
  if (at === null || wentOn || state.phase === 'finished') return state
  return { ...state, phase: 'finished', outcome: 'interrupted', reason }
}

/** Steps whose row changed in (`after`, `upTo`]. */
export function savedSteps(db: Database, id: number, after = -1, upTo = Number.MAX_SAFE_INTEGER): StepRow[] {
  return db
    .all<{ row: string }>(
      'SELECT row FROM steps WHERE run = ? AND rev > ? AND rev <= ? ORDER BY step',
      id,
      after,
      upTo,
    )
    .map(({ row }) => JSON.parse(row) as StepRow)
}

/** Samples of (`after`, `upTo`]; every second, fourth … is left out where there are too many. */
export function savedMemory(
  db: Database,
  id: number,
  after = -1,
  upTo = Number.MAX_SAFE_INTEGER,
): MemorySample[] {
  const range = 'run = ? AND rev > ? AND rev <= ?'
  const count =
    db.get<{ count: number }>(`SELECT count(*) AS count FROM memory WHERE ${range}`, id, after, upTo)
      ?.count ?? 0
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(count / samplesShown)))
  return db
    .all<{ sample: string }>(
      `SELECT sample FROM (SELECT sample, row_number() OVER (ORDER BY rev DESC) AS back FROM memory WHERE ${range})
      WHERE (back - 1) % ? = 0 ORDER BY back DESC`,
      id,
      after,
      upTo,
      stride,
    )
    .map(({ sample }) => JSON.parse(sample) as MemorySample)
}

export function fullState(db: Database, run: string): RunState {
  const { id, state } = savedRun(db, run)
  return { ...state, steps: savedSteps(db, id), memory: savedMemory(db, id) }
}

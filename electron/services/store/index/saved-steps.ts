import type { Status } from '#shared/domain/grade.ts'
import type { StepMemory } from '#shared/journal/step-memory.ts'
import type { Member } from '#shared/journal/step-rollup.ts'
import type { Database } from './database.ts'

type MemberRow = {
  rollout: string
  grp: number
  status: Status | 'pending'
  total: number | null
  components: string
  tokens: number | null
  truncated: number
  ms: number | null
  queue_ms: number | null
  cache: string | null
  task: string
  body: string | null
}

/** The rollouts of closed steps, out of the index: a run may have a million of them, and a step is rarely opened again. */
export class SavedSteps implements StepMemory {
  private readonly db: Database
  private readonly run: number

  private readonly flush: () => void

  /** @param flush writes what the batch in hand holds back. */
  constructor(db: Database, run: number, flush: () => void) {
    this.db = db
    this.run = run
    this.flush = flush
  }

  keep(): void {
    // The index has every rollout already: the reducer's events are written into it one by one, in the same transaction.
  }

  recall(step: number): Map<string, Member> {
    this.flush()
    const rows = this.db.all<MemberRow>(
      `SELECT rollout, grp, status, total, components, tokens, truncated, ms, queue_ms, cache, task, sha AS body FROM rollouts
      LEFT JOIN hashes ON hashes.id = body WHERE run = ? AND step = ? ORDER BY n`,
      this.run,
      step,
    )
    return new Map(rows.map((row) => [row.rollout, memberOf(row)]))
  }
}

const memberOf = (row: MemberRow): Member => ({
  group: row.grp,
  status: row.status === 'pending' ? null : row.status,
  total: row.total,
  components: JSON.parse(row.components) as Record<string, number | null>,
  tokens: row.tokens,
  truncated: row.truncated === 1,
  gradeMs: row.ms,
  queueMs: row.queue_ms,
  cold: row.cache === 'cold',
  task: row.task,
  body: row.body,
})

/** Last status of every evaluation draw, by policy. */
export function savedDraws(db: Database, run: number): Map<string, Map<string, Status>> {
  const draws = new Map<string, Map<string, Status>>()
  const rows = db.all<{ policy: string; rollout: string; status: Status }>(
    `SELECT policy, rollout, status FROM rollouts WHERE run = ? AND policy IS NOT NULL AND status <> 'pending' ORDER BY n`,
    run,
  )
  for (const { policy, rollout, status } of rows) {
    const seen = draws.get(policy) ?? new Map<string, Status>()
    draws.set(policy, seen.set(rollout, status))
  }
  return draws
}

import { type Grade, isGraded } from '#shared/domain/grade.ts'
import type { EventOf } from '#shared/journal/events.ts'
import { executionMs } from '#shared/journal/step-rollup.ts'
import type { Database } from './database.ts'
import { Interned, outcomeLetters } from './interned.ts'

/** The counters of a run that its writers share; saved with every batch. */
export type RunCounters = { id: number; rev: number; nextN: number }

/** Where a line stands in its file. */
export type Place = { at: number; bytes: number }

/** Keeps one row a rollout up to date, by its last grade. */
export class RolloutWriter {
  private readonly db: Database
  private readonly run: RunCounters
  readonly interned: Interned

  constructor(db: Database, run: RunCounters) {
    this.db = db
    this.run = run
    this.interned = new Interned(db)
  }

  generated(event: EventOf<'rollout.generated'>): void {
    const id = this.rowOf(event.rollout)
    const completion = this.interned.hash(event.completionSha256)
    this.db.run(
      `UPDATE rollouts SET rev = ?, step = ?, grp = ?, idx = ?, task = ?, completion = ?, tokens = ?, truncated = ? WHERE id = ?`,
      this.nextRev(),
      event.step,
      event.group,
      event.index,
      event.task,
      completion,
      event.tokens,
      event.truncated ? 1 : 0,
      id,
    )
    this.wanted(completion, 'completion')
  }

  graded(event: EventOf<'rollout.graded'>, place: Place): void {
    const isSilent = event.grade.reward === null
    this.grade(event.rollout, event.grade, place, {
      total: isSilent ? null : event.total,
      advantage: event.advantage,
      components: isSilent ? {} : event.components,
    })
  }

  drawn(event: EventOf<'eval.draw'>, place: Place): void {
    const id = this.grade(event.rollout, event.grade, place, {
      total: null,
      advantage: null,
      components: {},
    })
    this.db.run(`UPDATE rollouts SET policy = ?, task = ? WHERE id = ?`, event.policy, event.task, id)
  }

  advantages(byRollout: Record<string, number>): void {
    for (const [rollout, advantage] of Object.entries(byRollout))
      this.db.run(
        'UPDATE rollouts SET advantage = ? WHERE rollout = ? AND run = ?',
        advantage,
        rollout,
        this.run.id,
      )
  }

  /** Marks the groups of a step: silent where every total is known and all are equal, unknown while one is missing. */
  markSilent(step: number): void {
    this.db.run(
      `UPDATE rollouts SET silent = (
        SELECT CASE WHEN count(*) = count(total) THEN min(total) = max(total) END FROM rollouts other
        WHERE other.run = rollouts.run AND other.step = rollouts.step AND other.grp = rollouts.grp)
      WHERE run = ? AND step = ?`,
      this.run.id,
      step,
    )
  }

  /** What the audit says of a body, onto every rollout that has it. */
  audited(task: string, body: number, grade: Grade): void {
    const rows = this.db.all<{ id: number }>(
      'SELECT id FROM rollouts WHERE run = ? AND body = ? AND task = ? ORDER BY n',
      this.run.id,
      body,
      task,
    )
    for (const { id } of rows) this.setAudit(id, grade)
  }

  private grade(
    rollout: string,
    grade: Grade,
    place: Place,
    extra: { total: number | null; advantage: number | null; components: Record<string, number | null> },
  ): number {
    const id = this.rowOf(rollout)
    const body = this.interned.hash(grade.bodySha256)
    const evidence = this.interned.hash(grade.evidenceSha256)
    this.db.run(
      `UPDATE rollouts SET rev = ?, status = ?, reward = ?, total = ?, advantage = coalesce(?, advantage), components = ?,
        passed = ?, tests = ?, ms = ?, reason = ?, cache = ?, body = ?, evidence = ?, test_list = ?, outcomes = ?, grade_at = ?, grade_bytes = ?,
        audit_status = NULL, audit_reward = NULL, audit_passed = NULL, audit_total = NULL
      WHERE id = ?`,
      this.nextRev(),
      grade.status,
      grade.reward,
      extra.total,
      extra.advantage,
      JSON.stringify(extra.components),
      grade.passed,
      grade.total,
      executionMs(grade),
      grade.reason,
      grade.cache,
      body,
      evidence,
      this.interned.testList(grade.tests),
      outcomeLetters(grade.tests),
      place.at,
      place.bytes,
      id,
    )
    if (body !== null) this.knownAudit(id, body)
    this.wanted(evidence, 'evidence')
    return id
  }

  /** A body that was drawn again after its audit has the audit's verdict at once. */
  private knownAudit(id: number, body: number): void {
    this.db.run(
      `UPDATE rollouts SET (audit_status, audit_reward, audit_passed, audit_total) =
        (SELECT status, reward, passed, total FROM audits WHERE run = rollouts.run AND task = rollouts.task AND body = rollouts.body)
      WHERE id = ? AND EXISTS (SELECT 1 FROM audits WHERE run = ? AND body = ? AND task = rollouts.task)`,
      id,
      this.run.id,
      body,
    )
  }

  private setAudit(id: number, grade: Grade): void {
    this.db.run(
      `UPDATE rollouts SET rev = ?, audit_status = ?, audit_reward = ?, audit_passed = ?, audit_total = ? WHERE id = ?`,
      this.nextRev(),
      grade.status,
      isGraded(grade.status) ? grade.reward : null,
      grade.passed,
      grade.total,
      id,
    )
  }

  /** The row of a rollout; one that is new is made from what its id says, as a grade may come without its generation. */
  private rowOf(rollout: string): number {
    const found = this.db.get<{ id: number }>('SELECT id FROM rollouts WHERE rollout = ?', rollout)
    if (found) return found.id
    const [, second, third, fourth, fifth] = rollout.split('/')
    const isEval = second === 'eval'
    const made = this.db.run(
      `INSERT INTO rollouts(run, n, rev, rollout, phase, policy, step, grp, idx, task) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.run.id,
      this.run.nextN,
      this.run.rev,
      rollout,
      isEval ? 'eval' : 'train',
      isEval ? (third ?? '') : null,
      isEval ? null : Number(second),
      isEval ? null : Number(third),
      Number(isEval ? fifth : fourth),
      isEval ? (fourth ?? '') : '',
    )
    this.run.nextN += 1
    return made.lastId
  }

  /** Bytes that the run names and that must be brought here. */
  private wanted(hash: number | null, kind: 'completion' | 'evidence'): void {
    if (hash !== null)
      this.db.run('INSERT OR IGNORE INTO contents(run, hash, kind) VALUES (?, ?, ?)', this.run.id, hash, kind)
  }

  private nextRev(): number {
    this.run.rev += 1
    return this.run.rev
  }
}

import { type Grade, isGraded } from '#shared/domain/grade.ts'
import type { EventOf } from '#shared/journal/events.ts'
import { executionMs } from '#shared/journal/step-rollup.ts'
import type { Database } from './database.ts'
import { Interned, outcomeLetters } from './interned.ts'
import { type Change, RolloutRows } from './rollout-rows.ts'

/** The counters of a run that its writers share; saved with every batch. */
export type RunCounters = { id: number; rev: number; nextN: number }

/** Where a line stands in its file. */
export type Place = { at: number; bytes: number }

/** Keeps one row a rollout up to date, by its last grade. */
export class RolloutWriter {
  private readonly db: Database
  private readonly run: RunCounters
  private readonly rows: RolloutRows
  readonly interned: Interned

  constructor(db: Database, run: RunCounters) {
    this.db = db
    this.run = run
    this.rows = new RolloutRows(db)
    this.interned = new Interned(db)
  }

  generated(event: EventOf<'rollout.generated'>): void {
    const completion = this.interned.hash(event.completionSha256)
    this.change(event.rollout, {
      step: event.step,
      grp: event.group,
      idx: event.index,
      task: event.task,
      completion,
      tokens: event.tokens,
      truncated: event.truncated ? 1 : 0,
    })
    this.wanted(completion, 'completion')
  }

  graded(event: EventOf<'rollout.graded'>, place: Place): void {
    const isSilent = event.grade.reward === null
    this.grade(event.rollout, event.grade, place, {
      total: isSilent ? null : event.total,
      components: JSON.stringify(isSilent ? {} : event.components),
      ...(event.advantage === null ? {} : { advantage: event.advantage }),
    })
  }

  drawn(event: EventOf<'eval.draw'>, place: Place): void {
    this.grade(event.rollout, event.grade, place, { policy: event.policy, task: event.task })
  }

  advantages(byRollout: Record<string, number>): void {
    for (const [rollout, advantage] of Object.entries(byRollout)) this.rows.change(rollout, { advantage })
  }

  /** Marks the groups of a step: silent where every total is known and all are equal, unknown while one is missing. */
  markSilent(step: number): void {
    this.flush()
    this.db.run(
      `UPDATE rollouts SET silent = groups.silent FROM (
        SELECT grp, CASE WHEN count(*) = count(total) THEN min(total) = max(total) END AS silent FROM rollouts
        WHERE run = ? AND step = ? GROUP BY grp) AS groups
      WHERE run = ? AND step = ? AND rollouts.grp = groups.grp AND rollouts.silent IS NOT groups.silent`,
      this.run.id,
      step,
      this.run.id,
      step,
    )
  }

  /** What the audit says of a body, onto every rollout that has it. */
  audited(task: string, body: number, grade: Grade): void {
    this.flush()
    const same = this.db.all<{ rollout: string }>(
      // Named, as the order asked for would have the planner go through all of the run's rows, once for every body that is audited.
      'SELECT rollout FROM rollouts INDEXED BY rollouts_body WHERE run = ? AND body = ? AND task = ? ORDER BY n',
      this.run.id,
      body,
      task,
    )
    for (const { rollout } of same)
      this.change(rollout, {
        audit_status: grade.status,
        audit_reward: isGraded(grade.status) ? grade.reward : null,
        audit_passed: grade.passed,
        audit_total: grade.total,
      })
  }

  flush(): void {
    this.rows.flush()
  }

  private grade(rollout: string, grade: Grade, place: Place, extra: Change): void {
    const body = this.interned.hash(grade.bodySha256)
    const evidence = this.interned.hash(grade.evidenceSha256)
    this.change(rollout, {
      status: grade.status,
      reward: grade.reward,
      passed: grade.passed,
      tests: grade.total,
      ms: executionMs(grade),
      reason: grade.reason,
      cache: grade.cache,
      queue_ms: grade.queueMs,
      body,
      evidence,
      test_list: this.interned.testList(grade.tests),
      outcomes: outcomeLetters(grade.tests),
      grade_at: place.at,
      grade_bytes: place.bytes,
      ...extra,
    })
    this.rows.change(rollout, this.knownAudit(body, this.rows.taskOf(rollout)))
    this.wanted(evidence, 'evidence')
  }

  /** A body that is drawn again after its audit has the audit's verdict at once. */
  private knownAudit(body: number | null, task: string): Change {
    const known =
      body === null
        ? undefined
        : this.db.get<Change>(
            `SELECT status AS audit_status, reward AS audit_reward, passed AS audit_passed, total AS audit_total
            FROM audits WHERE run = ? AND task = ? AND body = ?`,
            this.run.id,
            task,
            body,
          )
    return known ?? { audit_status: null, audit_reward: null, audit_passed: null, audit_total: null }
  }

  /** Changes a row that the window shows; one that is new is made from what its id says, as a grade may come without its generation. */
  private change(rollout: string, change: Change): void {
    this.run.rev += 1
    if (!this.rows.has(rollout)) this.rows.add(rollout, this.newRow(rollout))
    this.rows.change(rollout, { rev: this.run.rev, ...change })
  }

  private newRow(rollout: string): Change {
    const [, second, third, fourth, fifth] = rollout.split('/')
    const common = { run: this.run.id, n: this.run.nextN, rev: this.run.rev }
    this.run.nextN += 1
    return second === 'eval'
      ? { ...common, phase: 'eval', policy: third ?? '', task: fourth ?? '', idx: Number(fifth) }
      : { ...common, phase: 'train', step: Number(second), grp: Number(third), task: '', idx: Number(fourth) }
  }

  /** Bytes that the run names and that must be brought here. */
  private wanted(hash: number | null, kind: 'completion' | 'evidence'): void {
    if (hash !== null)
      this.db.run('INSERT OR IGNORE INTO contents(run, hash, kind) VALUES (?, ?, ?)', this.run.id, hash, kind)
  }
}

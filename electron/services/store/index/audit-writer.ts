import { isGraded, type Status } from '#shared/domain/grade.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { Database } from './database.ts'
import { outcomeLetters } from './interned.ts'
import type { Place, RolloutWriter, RunCounters } from './rollout-writer.ts'

/** Puts the console's own records about a run into the index. */
export class RecordWriter {
  private readonly db: Database
  private readonly run: RunCounters
  private readonly rollouts: RolloutWriter

  constructor(db: Database, run: RunCounters, rollouts: RolloutWriter) {
    this.db = db
    this.run = run
    this.rollouts = rollouts
  }

  write(record: ConsoleRecord, place: Place): void {
    switch (record.type) {
      case 'audit.graded':
        return this.audited(record, place)
      case 'alarm.marked':
        return this.alarmMarked(record)
      case 'verdict':
        this.db.run(
          'INSERT OR REPLACE INTO verdicts(run, body, verdict, note) VALUES (?, ?, ?, ?)',
          this.run.id,
          this.rollouts.interned.hash(record.bodySha256),
          record.verdict,
          record.note,
        )
        return
      case 'audit.sampled':
        this.db.run('UPDATE runs SET audit_share = ? WHERE id = ?', record.share, this.run.id)
        return
      case 'suite.graded':
        return this.regraded(record)
      case 'interrupted':
        this.db.run(
          'UPDATE runs SET interrupted_at = ?, interrupted_why = ? WHERE id = ?',
          record.at,
          record.reason,
          this.run.id,
        )
        return
      case 'torn_down':
        this.db.run(
          'UPDATE runs SET torn_down = ? WHERE id = ?',
          record.left.length === 0 ? 1 : 0,
          this.run.id,
        )
        return
      case 'memory':
        this.run.rev += 1
        this.db.run(
          'INSERT INTO memory(run, rev, sample) VALUES (?, ?, ?)',
          this.run.id,
          this.run.rev,
          JSON.stringify({ at: record.at, devices: record.devices }),
        )
        return
      // Read from the records themselves, where they are few.
      case 'mechanism.named':
      case 'mechanism.explained':
      case 'suite.repaired':
      case 'preflight':
      case 'launched':
      case 'kube.mark':
        return
    }
  }

  private alarmMarked({ code, mark, since, at }: Extract<ConsoleRecord, { type: 'alarm.marked' }>): void {
    if (mark === null) this.db.run('DELETE FROM alarm_marks WHERE run = ? AND code = ?', this.run.id, code)
    else
      this.db.run(
        'INSERT OR REPLACE INTO alarm_marks(run, code, mark, since, at) VALUES (?, ?, ?, ?, ?)',
        this.run.id,
        code,
        mark,
        since,
        at,
      )
  }

  /** The last verdict holds, save that silence never takes the place of a verdict that was there. */
  private audited(record: Extract<ConsoleRecord, { type: 'audit.graded' }>, place: Place): void {
    const { grade, task } = record
    const body = this.rollouts.interned.hash(record.bodySha256)
    const expected = this.db.get<{ audit_suite: string | null }>(
      'SELECT audit_suite FROM runs WHERE id = ?',
      this.run.id,
    )
    const isOtherSuite =
      grade.suite !== null &&
      (expected?.audit_suite ?? null) !== null &&
      grade.suite.sha256 !== expected?.audit_suite
    if (body === null || isOtherSuite) return
    const known = this.db.get<{ status: Status }>(
      'SELECT status FROM audits WHERE run = ? AND task = ? AND body = ?',
      this.run.id,
      task,
      body,
    )
    if (known && isGraded(known.status) && !isGraded(grade.status)) return
    this.db.run(
      `INSERT OR REPLACE INTO audits(run, task, body, suite, status, reward, passed, total, reason, test_list, outcomes, at, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.run.id,
      task,
      body,
      grade.suite?.sha256 ?? null,
      grade.status,
      grade.reward,
      grade.passed,
      grade.total,
      grade.reason,
      this.rollouts.interned.testList(grade.tests),
      outcomeLetters(grade.tests),
      place.at,
      place.bytes,
    )
    this.rollouts.audited(task, body, grade)
  }

  /** By suite and body, the last word; as with the audit, silence never takes the place of a verdict. */
  private regraded({
    grade,
    task,
    bodySha256,
    origin,
  }: Extract<ConsoleRecord, { type: 'suite.graded' }>): void {
    const body = this.rollouts.interned.hash(bodySha256)
    if (body === null || grade.suite === null) return
    const { sha256, name } = grade.suite
    const known = this.db.get<{ status: Status }>(
      'SELECT status FROM regrades WHERE run = ? AND suite = ? AND task = ? AND body = ?',
      this.run.id,
      sha256,
      task,
      body,
    )
    if (known && isGraded(known.status) && !isGraded(grade.status)) return
    this.db.run(
      `INSERT OR REPLACE INTO regrades(run, suite, task, body, name, origin, status, reward, passed, total, evidence)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      this.run.id,
      sha256,
      task,
      body,
      name,
      origin,
      grade.status,
      grade.reward,
      grade.passed,
      grade.total,
      this.rollouts.interned.hash(grade.evidenceSha256),
    )
  }
}

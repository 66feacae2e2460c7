import type { Status } from '#shared/domain/grade.ts'
import type { Database } from '../store/index/database.ts'
import type { Verdict } from '../store/types.ts'
import { conditionOf } from './filter-sql.ts'

/** Which tests a grade has and which of them it did not pass; the same object for all rows with the same outcomes. */
export type Signature = { names: readonly string[]; failed: readonly string[] }

/** A distinct program among the rollouts of a filter. */
export type ProgramRow = {
  task: string
  /** Null for a rollout without a body, which stands for itself alone. */
  bodySha256: string | null
  evidenceSha256: string | null
  /** Rollouts of the filter with this program. */
  rollouts: number
  firstRollout: string
  step: number | null
  group: number | null
  status: Status | 'pending'
  reason: string | null
  passed: number | null
  tests: number | null
  /** Null where the grade says nothing of tests. */
  signature: Signature | null
  audit: {
    status: Status
    reason: string | null
    passed: number | null
    total: number | null
    signature: Signature | null
  } | null
  verdict: { verdict: Verdict | null; note: string } | null
}

type Row = {
  task: string
  body_sha: string | null
  evidence_sha: string | null
  rollouts: number
  rollout: string
  step: number | null
  grp: number | null
  status: Status | 'pending'
  reason: string | null
  passed: number | null
  tests: number | null
  test_list: number | null
  outcomes: string | null
  audit_status: Status | null
  audit_passed: number | null
  audit_total: number | null
  audit_reason: string | null
  audit_list: number | null
  audit_outcomes: string | null
  judged: number
  verdict: Verdict | null
  note: string | null
}

/**
 * The distinct programs of a filtered list, most rollouts first, then in the order of their first draw. From the index alone, in one query.
 * @param perGroup whether a program counts once in each training group that has it. @throws {AppError} `bad_filter`
 */
export function programsOf(db: Database, run: number, filter: string, perGroup = false): ProgramRow[] {
  const { sql, values } = conditionOf(db, run, filter)
  const signatures = new Signatures(db)
  return db
    .all<Row>(
      // With exactly one min(), SQLite takes the bare columns from the row that has it.
      `SELECT r.*, (SELECT sha FROM hashes WHERE id = r.body) AS body_sha, (SELECT sha FROM hashes WHERE id = r.evidence) AS evidence_sha,
        a.reason AS audit_reason, a.test_list AS audit_list, a.outcomes AS audit_outcomes,
        v.body IS NOT NULL AS judged, v.verdict, v.note
      FROM (SELECT run, task, body, evidence, count(*) AS rollouts, min(n) AS first, rollout, step, grp, status, reason, passed, tests,
          test_list, outcomes, audit_status, audit_passed, audit_total
        FROM rollouts WHERE ${sql} GROUP BY coalesce(body, -id), task${perGroup ? ', step, grp' : ''}) AS r
      LEFT JOIN audits a ON a.run = r.run AND a.task = r.task AND a.body = r.body
      LEFT JOIN verdicts v ON v.run = r.run AND v.body = r.body
      ORDER BY r.rollouts DESC, r.first`,
      ...values,
    )
    .map((row) => programOf(row, signatures))
}

function programOf(row: Row, signatures: Signatures): ProgramRow {
  return {
    task: row.task,
    bodySha256: row.body_sha,
    evidenceSha256: row.evidence_sha,
    rollouts: row.rollouts,
    firstRollout: row.rollout,
    step: row.step,
    group: row.grp,
    status: row.status,
    reason: row.reason,
    passed: row.passed,
    tests: row.tests,
    signature: signatures.of(row.test_list, row.outcomes),
    audit:
      row.audit_status === null
        ? null
        : {
            status: row.audit_status,
            reason: row.audit_reason,
            passed: row.audit_passed,
            total: row.audit_total,
            signature: signatures.of(row.audit_list, row.audit_outcomes),
          },
    verdict: row.judged ? { verdict: row.verdict, note: row.note ?? '' } : null,
  }
}

/** Signatures from letters, each made once however many rows have it. */
class Signatures {
  private readonly db: Database
  private readonly lists = new Map<number, string[]>()
  private readonly known = new Map<string, Signature>()

  constructor(db: Database) {
    this.db = db
  }

  of(list: number | null, outcomes: string | null): Signature | null {
    if (list === null || outcomes === null) return null
    const key = `${list} ${outcomes}`
    const found = this.known.get(key)
    if (found) return found
    const names = this.namesOf(list)
    const made = { names, failed: names.filter((_, i) => outcomes[i]?.toLowerCase() !== 'p') }
    this.known.set(key, made)
    return made
  }

  private namesOf(list: number): string[] {
    const found = this.lists.get(list)
    if (found) return found
    const row = this.db.get<{ names: string }>('SELECT names FROM test_lists WHERE id = ?', list)
    const names = row ? (JSON.parse(row.names) as string[]) : []
    this.lists.set(list, names)
    return names
  }
}

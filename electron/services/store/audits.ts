import type { Grade, Status } from '#shared/domain/grade.ts'
import { readRecord } from './console-log.ts'
import type { Database } from './index/database.ts'
import { decodeUtf8, readRange } from './journal.ts'
import type { StorePaths } from './paths.ts'
import type { BodyRow, Regrade, Verdict } from './types.ts'

/** The full audit grade of a body, read from the run's console records; null where not audited. */
export async function savedAudit(
  db: Database,
  paths: StorePaths,
  run: string,
  task: string,
  bodySha256: string,
): Promise<Grade | null> {
  const place = db.get<{ at: number; bytes: number }>(
    `SELECT at, bytes FROM audits WHERE run = (SELECT id FROM runs WHERE run = ?) AND task = ?
      AND body = (SELECT id FROM hashes WHERE sha = ?)`,
    run,
    task,
    bodySha256,
  )
  if (!place) return null
  const bytes = await readRange(paths.console(run), place.at, place.bytes)
  if (!bytes) return null
  const text = decodeUtf8(bytes).trimEnd()
  const read = readRecord({ text, offset: place.at, end: place.at + place.bytes })
  return 'record' in read && read.record.type === 'audit.graded' ? read.record.grade : null
}

type Row = {
  task: string
  body_sha: string
  rollouts: number
  accepted: number
  rollout: string
  status: Status | 'pending'
  passed: number | null
  tests: number | null
  evidence_sha: string | null
  audit_status: Status | null
  audit_passed: number | null
  audit_total: number | null
  judged: number
  verdict: Verdict | null
  note: string | null
}

/** Distinct bodies of a run in order of their first draw. */
export function savedBodies(db: Database, run: string): BodyRow[] {
  return db
    .all<Row>(
      // With exactly one min(), SQLite takes the bare columns from the row that has it.
      `SELECT task, (SELECT sha FROM hashes WHERE id = r.body) AS body_sha, count(*) AS rollouts,
        count(*) FILTER (WHERE status = 'passed') AS accepted, min(n) AS first, rollout, status, passed, tests,
        (SELECT sha FROM hashes WHERE id = r.evidence) AS evidence_sha, audit_status, audit_passed, audit_total,
        v.body IS NOT NULL AS judged, v.verdict, v.note
      FROM rollouts r LEFT JOIN verdicts v ON v.run = r.run AND v.body = r.body
      WHERE r.run = (SELECT id FROM runs WHERE run = ?) AND r.body IS NOT NULL GROUP BY r.body, task ORDER BY first`,
      run,
    )
    .map((row) => ({
      task: row.task,
      bodySha256: row.body_sha,
      rollouts: row.rollouts,
      accepted: row.accepted,
      firstRollout: row.rollout,
      status: row.status,
      passed: row.passed,
      tests: row.tests,
      evidenceSha256: row.evidence_sha,
      audit:
        row.audit_status === null
          ? null
          : { status: row.audit_status, passed: row.audit_passed, total: row.audit_total },
      verdict: row.judged ? { verdict: row.verdict, note: row.note ?? '' } : null,
    }))
}

export const savedShare = (db: Database, run: string): number =>
  db.get<{ audit_share: number }>('SELECT audit_share FROM runs WHERE run = ?', run)?.audit_share ?? 1

export const savedRegrades = (db: Database, run: string): Regrade[] =>
  db
    .all<{
      suite: string
      name: string
      origin: Regrade['origin']
      task: string
      sha: string
      status: Status
    }>(
      `SELECT suite, name, origin, task, sha, status FROM regrades JOIN hashes ON hashes.id = body
      WHERE run = (SELECT id FROM runs WHERE run = ?) ORDER BY name, suite`,
      run,
    )
    .map(({ suite, name, sha, ...row }) => ({ suite: { name, sha256: suite }, bodySha256: sha, ...row }))

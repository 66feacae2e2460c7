import type { Database } from './database.ts'

export type SavedPassRate = {
  run: string
  task: string
  phase: 'baseline' | 'training' | 'final'
  /** Of the suite that the run was graded by. */
  suiteSha256: string
  version: string
  startedAt: string | null
  passed: number
  graded: number
  silent: number
}

/** How often each task was passed, by run and phase, over the runs whose suite bears the name; rollouts that wait for a grade are left out. */
export function savedPassRates(db: Database, suite: string): SavedPassRate[] {
  return db.all<SavedPassRate>(
    `SELECT r.run AS run, o.task AS task, coalesce(o.policy, 'training') AS phase,
      json_extract(r.state, '$.spec.suite.sha256') AS suiteSha256,
      json_extract(r.state, '$.spec.suite.version') AS version, json_extract(r.state, '$.startedAt') AS startedAt,
      count(*) FILTER (WHERE o.status = 'passed') AS passed, count(o.reward) AS graded,
      count(*) - count(o.reward) AS silent
    FROM runs r JOIN rollouts o ON o.run = r.id
    WHERE json_extract(r.state, '$.spec.suite.name') = ? AND o.status <> 'pending'
    GROUP BY r.id, o.task, coalesce(o.policy, 'training') ORDER BY r.id`,
    suite,
  )
}

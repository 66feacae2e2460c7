import type { CompareMetric, CompareSeries } from '#shared/ipc/contract.ts'
import type { Database } from '../store/index/database.ts'
import { savedRun } from '../store/saved-run.ts'

/** Where a metric stands in a step's row. Shares are of what is known: a null reward is in no denominator. */
const expressions: Record<CompareMetric, string> = {
  rewardMean: `row ->> '$.rewardMean'`,
  passShare: `(SELECT 1.0 * sum(value ->> '$.passed') / nullif(sum(value ->> '$.graded'), 0) FROM json_each(row, '$.tasks'))`,
  silentShare: `1.0 * (row ->> '$.silentGroups') / nullif(row ->> '$.groups', 0)`,
  loss: `row ->> '$.loss'`,
  gradNorm: `row ->> '$.gradNorm'`,
  kl: `row ->> '$.kl'`,
  entropy: `row ->> '$.entropy'`,
  tokensMean: `row ->> '$.tokensMean'`,
  gradeMsP95: `row ->> '$.gradeMsP95'`,
}

/** One figure of every step of a run, out of the index's roll-ups. @throws {AppError} `not_found` */
export function compareSeries(db: Database, run: string, metric: CompareMetric): CompareSeries {
  const { id, state } = savedRun(db, run)
  const rows = db.all<{ step: number; generated: number; at: string | null; value: number | null }>(
    `SELECT step, row ->> '$.generated' AS generated, row ->> '$.finishedAt' AS at, ${expressions[metric]} AS value
    FROM steps WHERE run = ? ORDER BY step`,
    id,
  )
  const start = state.startedAt === null ? null : Date.parse(state.startedAt)
  let generated = 0
  return {
    run,
    name: state.spec?.name ?? state.imported?.name ?? run,
    spec: state.spec,
    step: rows.map(({ step }) => step),
    rollouts: rows.map((row) => {
      generated += row.generated
      return generated
    }),
    atMs: rows.map(({ at }) => (at === null || start === null ? null : Date.parse(at) - start)),
    value: rows.map(({ value }) => value),
  }
}

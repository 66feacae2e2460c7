import { isGraded, type Status } from '#shared/domain/grade.ts'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { savedShare } from './audits.ts'
import type { Database } from './index/database.ts'
import type { SavedRun } from './saved-run.ts'

/** Points of the small line in the list of runs. */
const sparklinePoints = 120

/** One row of the list of runs, from roll-ups alone: no rollout is read for it but by counting in an index. */
export function summarise(db: Database, saved: SavedRun, leases: number): RunSummary {
  const { id, state } = saved
  const counts = countRollouts(db, id)
  const rates = passRates(db, saved)
  return {
    run: state.run ?? '',
    name: state.spec?.name ?? state.imported?.name ?? state.run ?? '',
    suite: state.spec?.suite.name ?? state.imported?.from ?? '',
    auditSuite: state.spec?.audit?.name ?? null,
    phase: state.phase,
    stage: state.stage,
    step: state.step,
    planned: state.planned,
    outcome: state.outcome,
    startedAt: state.startedAt,
    lastAt: state.lastAt,
    rollouts: state.rollouts,
    byStatus: state.byStatus,
    nullRewards: silent(state.byStatus) + state.evals.reduce((sum, row) => sum + silent(row.byStatus), 0),
    falseAcceptances: counts.audited === 0 ? null : counts.wrong,
    audited: counts.audited,
    auditShare: savedShare(db, state.run ?? ''),
    rewardMeans: sparkline(db, id),
    passRateBefore: rates.get('baseline') ?? null,
    passRateAfter: rates.get('final') ?? null,
    leases,
    tornDown: saved.tornDown,
  }
}

const silent = (counts: RunSummary['byStatus']): number =>
  (Object.entries(counts) as [Status, number][]).reduce(
    (sum, [status, count]) => sum + (isGraded(status) ? 0 : count),
    0,
  )

function countRollouts(db: Database, id: number): { audited: number; wrong: number } {
  const audited = db.get<{ n: number }>(
    'SELECT count(*) AS n FROM rollouts WHERE run = ? AND by_audit < 9e98',
    id,
  )
  const wrong = db.get<{ n: number }>(
    'SELECT count(*) AS n FROM rollouts WHERE run = ? AND false_acceptance = 1',
    id,
  )
  return { audited: audited?.n ?? 0, wrong: wrong?.n ?? 0 }
}

/**
 * Full passes of the audit on the fixed draws, by policy. A draw without a body counts as graded and not passed: there is nothing that any suite
 * could pass. A draw whose audit is missing or silent is not graded.
 */
function passRates(
  db: Database,
  { id, state }: SavedRun,
): Map<string, NonNullable<RunSummary['passRateBefore']>> {
  if (!state.spec?.audit) return new Map()
  const rows = db.all<{ policy: string; passed: number; graded: number }>(
    `SELECT policy, count(*) FILTER (WHERE audit_status = 'passed') AS passed,
      count(*) FILTER (WHERE audit_reward IS NOT NULL OR status = 'no_answer') AS graded
    FROM rollouts WHERE run = ? AND policy IS NOT NULL GROUP BY policy`,
    id,
  )
  return new Map(
    rows
      .filter((row) => row.graded > 0)
      .map(({ policy, passed, graded }) => [
        policy,
        { passed, graded, planned: state.evals.find((row) => row.policy === policy)?.planned ?? graded },
      ]),
  )
}

/** Mean reward a step, thinned by averaging neighbours; a step (or all of a portion) without a graded rollout stays null. */
function sparkline(db: Database, id: number): (number | null)[] {
  const means = db
    .all<{ reward_mean: number | null }>('SELECT reward_mean FROM steps WHERE run = ? ORDER BY step', id)
    .map((row) => row.reward_mean)
  const portion = Math.max(1, Math.ceil(means.length / sparklinePoints))
  return Array.from({ length: Math.ceil(means.length / portion) }, (_, index) => {
    const known = means.slice(index * portion, (index + 1) * portion).filter((mean) => mean !== null)
    return known.length === 0 ? null : known.reduce((sum, mean) => sum + mean, 0) / known.length
  })
}

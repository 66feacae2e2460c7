import type { OpenCore } from '#services/core/core.ts'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { nullRewards } from '#shared/journal/reduce.ts'
import type { RunState } from '#shared/journal/state.ts'
import type { DemoReport } from './demo.ts'

/** The figures of a run, from its state, its rows and its audit. */
export async function summarise(
  core: OpenCore,
  run: string,
): Promise<Omit<DemoReport, 'leaksAfterTeardown' | 'wallMs'>> {
  const { state, summary } = await core.handlers['runs.state']({ run })
  const byMechanism = await falseAcceptances(core, run)
  const finished = state.steps.filter((step) => step.finishedAt !== null)
  const told = finished.flatMap(({ silentGroups, groups }) =>
    silentGroups === null || groups === null ? [] : [{ silentGroups, groups }],
  )
  return {
    run,
    updates: finished.length,
    rollouts: state.rollouts,
    byStatus: state.byStatus,
    nullRewards: silent(state),
    silentGroups: told.reduce((sum, step) => sum + step.silentGroups, 0),
    groups: told.reduce((sum, step) => sum + step.groups, 0),
    falseAcceptances: Object.values(byMechanism).reduce((sum, count) => sum + count, 0),
    falseAcceptancesByMechanism: byMechanism,
    passRateBefore: rate(summary.passRateBefore),
    passRateAfter: rate(summary.passRateAfter),
  }
}

/** Fixed draws that no rate counts, as the audit has no word on them. */
export const unjudged = ({ passRateBefore, passRateAfter }: RunSummary): number =>
  [passRateBefore, passRateAfter].reduce(
    (sum, counts) => sum + (counts === null ? 0 : counts.planned - counts.graded),
    0,
  )

/** Rewards that are null, of training rollouts and evaluation draws. */
const silent = (state: RunState) =>
  nullRewards(state.byStatus) + state.evals.reduce((sum, row) => sum + nullRewards(row.byStatus), 0)

const rate = (counts: { passed: number; graded: number } | null): number | null =>
  counts === null || counts.graded === 0 ? null : counts.passed / counts.graded

/** Training rollouts that the run's verifier accepted and the audit rejected, by mechanism. */
async function falseAcceptances(core: OpenCore, run: string): Promise<Record<string, number>> {
  const names = await core.parts.audit.mechanismNames(run)
  const counts: Record<string, number> = {}
  for (const line of core.parts.store.exportRows(run, 'phase:train is:false_acceptance')) {
    const { bodySha256 } = JSON.parse(line) as { bodySha256: string | null }
    const name = names.get(bodySha256 ?? '') ?? 'not clustered'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

import type { OpenCore } from '#services/core/core.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { VerifierReach } from '#shared/domain/run.ts'
import type { PreflightRow } from '#shared/ipc/contract.ts'
import type { StatusCounts } from '#shared/journal/state.ts'
import { Progress } from '../output.ts'
import { followRun } from './follow.ts'
import { countLeaks } from './leaks.ts'
import { summarise, unjudged } from './summarise.ts'

/** What `ringside demo --json` prints. Counts are of training rollouts; rates are of the fixed evaluation draws, by the audit. */
export type DemoReport = {
  run: string
  updates: number
  rollouts: number
  byStatus: StatusCounts
  nullRewards: number
  silentGroups: number
  groups: number
  falseAcceptances: number
  falseAcceptancesByMechanism: Record<string, number>
  /** Full passes of the audit ÷ draws that it has graded, 0 to 1; null where it has graded none. */
  passRateBefore: number | null
  passRateAfter: number | null
  leaksAfterTeardown: number
  wallMs: number
}

/** `box`: an id, name or target of a known box, or a new target; null for this machine. */
export type DemoOptions = {
  verifier: string
  updates: number
  seed: number
  box: string | null
  reach: VerifierReach
}

/**
 * The embedded run by the same services as the window's: checks, launch, follow, audit to the end, teardown, and a look at what is left.
 * @returns the report, and why the run does not hold where it did not complete.
 */
export async function runDemo(
  core: OpenCore,
  options: DemoOptions,
  stopped: AbortSignal,
): Promise<{ report: DemoReport; failure: AppError | null }> {
  const began = performance.now()
  const progress = new Progress()
  const quiet = core.on('preflight.row', ({ row }) => sayRow(progress, row))
  try {
    const box = options.box === null ? null : await knownBox(core, options.box)
    const { run } = await core.handlers['launch.start']({
      draft: { ...draftOf(options), ...(box !== null && { box }) },
    })
    progress.say(`launched ${run} on the ${options.verifier} suite`)
    let failure: AppError | null
    let facts: Omit<DemoReport, 'leaksAfterTeardown' | 'wallMs'>
    try {
      failure = await followRun(core, run, progress, stopped)
      progress.show('audit', 'grading distinct bodies by the audit suite')
      const silent = stopped.aborted ? null : await finishAudit(core, run)
      failure ??= silent
      facts = await summarise(core, run)
      const left = unjudged(core.parts.store.summary(run))
      if (left > 0)
        progress.say(`  ! ${left} fixed draw(s) the audit did not judge; the rates leave them out`)
    } finally {
      progress.show('teardown', '')
      await takeDown(core, run)
    }
    const leaksAfterTeardown = await countLeaks(core, run)
    const wallMs = Math.round(performance.now() - began)
    const report = { ...facts, leaksAfterTeardown, wallMs }
    return { report, failure: failure ?? leakFailure(run, leaksAfterTeardown) }
  } finally {
    quiet()
    progress.close()
  }
}

/** @returns what kept the audit from its end: the report is made all the same, with what it did judge. */
const finishAudit = ({ parts }: OpenCore, run: string): Promise<AppError | null> =>
  parts.audit.finish(run).then(() => null, toAppError)

/** A box that was not known is added; whether it can be reached shows in the checks. */
async function knownBox({ parts }: OpenCore, named: string): Promise<string> {
  const known = parts.boxes.list().find((box) => [box.id, box.name, box.target].includes(named))
  return (known ?? (await parts.boxes.add(named))).id
}

const draftOf = ({ verifier, updates, seed, reach }: DemoOptions) => ({
  name: `Demo, ${verifier} suite, seed ${seed}`,
  suite: `booking-${verifier}`,
  audit: 'booking-audit',
  updates,
  seed,
  reach,
})

const signs = { passed: '✓', warned: '!', failed: '✗', running: '…' } as const

function sayRow(progress: Progress, row: PreflightRow): void {
  if (row.state === 'running')
    progress.show('checks', row.detail === '' ? row.label : `${row.label}: ${row.detail}`)
  else progress.say(`  ${signs[row.state]} ${row.label}: ${row.detail}`)
}

async function takeDown(core: OpenCore, run: string): Promise<void> {
  const { plan } = await core.handlers['teardown.plan']({ run })
  await core.handlers['teardown.run']({ run, confirm: plan.map((row) => row.lease) })
}

const leakFailure = (run: string, leaks: number): AppError | null =>
  leaks === 0 ? null : new AppError('leaked', `${leaks} thing(s) of ${run} are left after its teardown.`)

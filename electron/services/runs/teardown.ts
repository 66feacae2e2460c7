import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Lease, TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import { logStreams } from '#shared/domain/log-stream.ts'
import { waitUntil } from '../box/process-identity.ts'
import type { RunBox } from '../box/run-box.ts'
import { trainerLife } from '../box/supervision.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { isRemote, processesOf, type RemoteLeases, releaseLease } from '../leases/release.ts'
import type { EvidenceGap, Store } from '../store/store.ts'
import { VerifierClient } from '../verifier/client.ts'
import { inReleaseOrder, runLeases } from './run-leases.ts'

export type TeardownContext = {
  home: string
  runsDir: string
  box: RunBox
  remote: RemoteLeases
  ledger: LeaseLedger
  store: Store
  now: () => Date
  /** Ends what the console itself runs for the run (its audit), so that its leases are given back by their owner. */
  quiesce: (run: string) => Promise<void>
  onRow?: (row: { run: string; label: string; state: 'releasing' | 'released' | 'left' }) => void
}

/** In `confirm` beside a folder's lease: remove the folder although evidence is missing, which loses that evidence for ever. */
export const discard = (lease: string): string => `${lease}#discard`

/** What a teardown would do, by looking, without doing it. */
export async function planTeardown(context: TeardownContext, run: string): Promise<TeardownReport> {
  const rows: TeardownRow[] = []
  for (const lease of leasesOf(context, run)) rows.push(await planRow(context, lease))
  const earlier = context.ledger
    .of(run)
    .filter((lease) => lease.state === 'released')
    .map((lease) => rowOf(lease, 'release', lease.note))
  return { plan: rows, released: [], left: [], earlier }
}

/**
 * The one way out of a run, whatever its state: the trainer is ended, the evidence fetched, then every lease given back and its absence
 * looked at. May be called again after a crash in between, or when something was left.
 * @param confirm ids of the leases that may go, as the plan showed them; what is not named is kept.
 */
export async function tearDown(
  context: TeardownContext,
  run: string,
  confirm: readonly string[],
): Promise<TeardownReport> {
  const { plan } = await planTeardown(context, run)
  const report: TeardownReport = { plan, released: [], left: [] }
  const wanted = plan.filter((row) => row.action === 'release')
  if (wanted.some((row) => confirm.includes(row.lease))) await endRun(context, run, confirm)
  report.released.push(...givenBackMeanwhile(context, run, [...plan.map((row) => row.lease), ...confirm]))
  const gaps = await collect(context, run)
  for (const lease of inReleaseOrder(leasesOf(context, run))) {
    await giveBack(context, lease, { confirm, gaps, report })
  }
  const labels = (rows: TeardownRow[]) => rows.map((row) => row.label)
  await context.store.record(run, {
    at: context.now().toISOString(),
    type: 'torn_down',
    released: labels(report.released),
    left: labels(report.left),
  })
  return report
}

/**
 * Of what was to be given back, what its owner (the run's audit) gave back by itself: since the person saw the plan, or when it was told to end. It is
 * proven like the rest, and missing from the report it would stand there as still held.
 */
function givenBackMeanwhile({ ledger }: TeardownContext, run: string, named: string[]): TeardownRow[] {
  const ids = new Set(named)
  return ledger
    .of(run)
    .filter((lease) => lease.state === 'released' && ids.has(lease.id))
    .map((lease) => rowOf(lease, 'release', lease.note ?? 'given back by its owner'))
}

/** @throws {AppError} `not_found` where the ledger knows nothing of the run. */
function leasesOf({ ledger }: TeardownContext, run: string): Lease[] {
  const all = ledger.of(run)
  if (all.length === 0) throw new AppError('not_found', `The lease ledger knows no run ${run}.`)
  return inReleaseOrder(all.filter((lease) => lease.state !== 'released'))
}

const rowOf = (lease: Lease, action: TeardownRow['action'], proof: string | null): TeardownRow => ({
  lease: lease.id,
  kind: lease.kind,
  label: lease.label,
  identity: lease.identity,
  action,
  proof,
})

async function planRow(context: TeardownContext, lease: Lease): Promise<TeardownRow> {
  if (isRemote(lease)) return rowOf(lease, 'release', await lookThere(context, lease))
  if (lease.kind === 'process') {
    const living = await processesOf(lease)
    if (living.length === 0) return rowOf(lease, 'release', 'none of it is alive')
    return rowOf(lease, 'release', `alive: process ${living.map((one) => one.pid).join(', ')}`)
  }
  if (lease.kind === 'folder') {
    const there = await stat(String(lease.identity.path)).catch(() => null)
    if (!there) return rowOf(lease, 'release', 'it is not there')
    return rowOf(lease, 'release', gapsOf(context, lease))
  }
  return rowOf(lease, 'release', null)
}

/** A box that does not answer does not keep the rest of the plan from being shown. */
async function lookThere(context: TeardownContext, lease: Lease): Promise<string> {
  const seen = await context.remote.look(lease).catch((failure: unknown) => toAppError(failure).message)
  const gaps = gapsOf(context, lease)
  return gaps === null ? seen : `${seen}; ${gaps}`
}

function gapsOf({ store }: TeardownContext, lease: Lease): string | null {
  const gaps = isBoxFolder(lease) && lease.run ? store.evidenceGaps(lease.run) : []
  return gaps.length === 0 ? null : `${missing(gaps)}; will be fetched first`
}

/** A folder that the run's evidence may still be in. */
const isBoxFolder = (lease: Lease) =>
  lease.run !== null && [runLeases(lease.run).folder, runLeases(lease.run).verifierFolder].includes(lease.id)

/** Stops the trainer by its own will where it still listens, and by the supervisor's hand where it does not. */
async function endRun(context: TeardownContext, run: string, confirm: readonly string[]): Promise<void> {
  await context.quiesce(run)
  if (!confirm.includes(runLeases(run).processes)) return
  await abortRun(context.box, run)
}

/** The trainer has this long to write its last words before it is ended. */
const lastWordsMs = 3_000

export async function abortRun(box: RunBox, run: string): Promise<void> {
  const status = await box.status(run).catch(() => null)
  if (!status || trainerLife(status) === false) return
  await box.control(run, 'abort')
  const gone = async () => trainerLife(await box.status(run)) === false
  if (await waitUntil(gone, lastWordsMs)) return
  await box.abort(run)
}

/**
 * Mirrors the journal to its end and fetches every completion and piece of evidence that it names. Where the verifier is gone (a crash, a
 * reboot) it is started once more for that.
 */
async function collect(context: TeardownContext, run: string): Promise<EvidenceGap[]> {
  const { box, store } = context
  if ((await box.files(run).stat('spec.json')) === null) return store.evidenceGaps(run)
  await store.catchUp(run)
  if (store.evidenceGaps(run).length === 0) return []
  if (!(await verifierAnswers(box, run))) {
    await box.start(run, 'collect')
    await waitUntil(() => verifierAnswers(box, run), 30_000)
  }
  return store.fetchLast(run)
}

async function verifierAnswers(box: RunBox, run: string): Promise<boolean> {
  const url = await box.verifierUrl(run)
  if (url === null) return false
  return new VerifierClient(url, await box.verifierToken(run)).health(2_000).then(
    () => true,
    () => false,
  )
}

type Going = { confirm: readonly string[]; gaps: EvidenceGap[]; report: TeardownReport }

async function giveBack(context: TeardownContext, lease: Lease, going: Going): Promise<void> {
  const { ledger, home, remote, onRow } = context
  const { confirm, gaps, report } = going
  const run = lease.run ?? ''
  const keep = async (why: string) => {
    await ledger.leave(lease.id, why)
    report.left.push(rowOf(lease, 'keep', why))
    onRow?.({ run, label: lease.label, state: 'left' })
  }
  if (!confirm.includes(lease.id)) return keep('kept by choice')
  if (isBoxFolder(lease)) {
    if (report.left.some((row) => row.kind === 'process')) return keep('its processes still live')
    if (gaps.length > 0 && !confirm.includes(discard(lease.id))) {
      return keep(`${missing(gaps)}; the folder is where it may still be`)
    }
    await keepRecord(context, run)
  }
  onRow?.({ run, label: lease.label, state: 'releasing' })
  if (lease.id === runLeases(run).processes) await context.box.stop(run).catch(() => undefined)
  const released = await releaseLease(lease, home, remote)
  if (!released.gone) return keep(released.why)
  await ledger.release(lease.id, released.proof)
  report.released.push(rowOf(lease, 'release', released.proof))
  onRow?.({ run, label: lease.label, state: 'released' })
}

const missing = (gaps: EvidenceGap[]) =>
  `${gaps.length} piece(s) of evidence are not here yet, first ${gaps[0]?.sha256.slice(0, 12)}`

/** What of the box folder belongs to the run's record: its logs, its checkpoints, how its processes ended. */
async function keepRecord({ box, runsDir }: TeardownContext, run: string): Promise<void> {
  const to = join(runsDir, run, 'box')
  await mkdir(join(to, 'supervisor'), { recursive: true, mode: 0o700 })
  const logs = logStreams.map((stream) => `${stream}.log`)
  await box.copyOut(run, [...logs, 'checkpoints', 'supervisor/trainer.exit', 'supervisor/verifier.exits'], to)
}

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalJson } from '#shared/base/canonical.ts'
import { AppError } from '#shared/base/errors.ts'
import { newRunId } from '#shared/base/ids.ts'
import type { ClusterPlacement } from '#shared/domain/placement.ts'
import { type RunBoxSpec, RunSpec } from '#shared/domain/run.ts'
import type { LaunchDraft, PreflightRow } from '#shared/ipc/contract.ts'
import { writeAtomic } from '../box/atomic-write.ts'
import type { RoutedBox } from '../box/routed-box.ts'
import type { Boxes } from '../box/ssh/boxes.ts'
import type { Clusters } from '../kube/clusters.ts'
import type { ClusterVerifiers } from '../kube/verifiers.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { type RemoteLeases, releaseLease } from '../leases/release.ts'
import type { Store } from '../store/store.ts'
import { localBox } from './draft.ts'
import { inReleaseOrder, intendRun, runLeases } from './run-leases.ts'
import { resolveSource } from './suite-source.ts'
import { freezeSuite, loadSuite } from './suites.ts'
import { trainerOf } from './trainer-of.ts'

export type LaunchContext = {
  home: string
  runsDir: string
  suitesDir: string
  box: RoutedBox
  remote: RemoteLeases
  boxes: Boxes
  clusters: Clusters
  verifiers: ClusterVerifiers
  ledger: LeaseLedger
  store: Store
  now: () => Date
  random: () => number
}

/** A verifier that neither answered nor said anything for that long hangs; while it prepares a workspace it says so. */
const silentMs = 60_000

/**
 * Freezes the spec, writes the leases, starts the box. A launch that fails at any point gives back all it took and leaves no run behind.
 * @param draft checked, its suites as paths. @param preflight the rows that allowed it; kept in the run's record.
 */
export async function launch(
  context: LaunchContext,
  draft: LaunchDraft,
  preflight: PreflightRow[],
): Promise<string> {
  const { runsDir, box, ledger, store, now } = context
  const spec = await freezeSpec(context, draft)
  const { run } = spec
  const text = canonicalJson(spec)
  box.place(run, spec.box)
  const elsewhere = await context.verifiers.intend(spec)
  const leases = [...(await intendRun(ledger, run, box)), ...elsewhere.leases]
  try {
    await mkdir(join(runsDir, run), { recursive: true, mode: 0o700 })
    await writeAtomic(join(runsDir, run, 'spec.json'), `${text}\n`)
    await box.prepare(run, `${text}\n`, await box.commands(spec))
    await ledger.hold(runLeases(run).folder)
    await elsewhere.create()
    await ledger.hold(runLeases(run).processes, await box.start(run))
    await ledger.hold(runLeases(run).port, await verifierPlace(context, run))
    const at = now().toISOString()
    await store.record(run, { at, type: 'preflight', rows: preflight })
    await store.record(run, { at, type: 'launched', leases })
    return run
  } catch (failure) {
    // Where even that fails (a full disk), the ledger has it and the next start gives it back.
    await undo(context, run).catch(() => undefined)
    throw failure
  }
}

async function freezeSpec(context: LaunchContext, draft: LaunchDraft): Promise<RunSpec> {
  const freeze = async (path: string) => {
    const suite = await loadSuite(path)
    return freezeSuite(suite, await resolveSource(suite, draft.source), context.suitesDir)
  }
  return RunSpec.parse({
    v: 1,
    name: draft.name,
    run: newRunId(context.now(), context.random),
    box: await boxSpec(context, draft),
    suite: await freeze(draft.suite),
    audit: draft.audit === null ? null : await freeze(draft.audit),
    verifier: { workers: draft.workers, ...(await placement(context, draft.verifier)) },
    trainer: trainerOf(draft),
    overrides: draft.overrides,
  })
}

async function placement(
  { clusters }: LaunchContext,
  draft: LaunchDraft['verifier'],
): Promise<{ placement?: ClusterPlacement }> {
  if (draft.kind === 'local') return {}
  const { context, namespace, ...asked } = draft
  return { placement: { ...asked, cluster: await clusters.pin(context, namespace) } }
}

async function boxSpec({ boxes }: LaunchContext, { box: named, reach }: LaunchDraft): Promise<RunBoxSpec> {
  if (named === localBox) return { kind: 'local' }
  const { id, target } = boxes.find(named)
  return { kind: 'ssh', box: id, target, root: await boxes.root(id), reach }
}

/** Waits for the verifier's first answer, so that a run that cannot start fails here and not silently on its box. */
async function verifierPlace(context: LaunchContext, run: string): Promise<{ host: string; port: number }> {
  const { box } = context
  let url: string | null = null
  let heard = { bytes: 0, at: Date.now() }
  while (url === null && Date.now() - heard.at < silentMs && (await verifierExits(context, run)) < 3) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    url = await box.verifierUrl(run)
    const bytes = (await box.files(run).stat('verifier.log'))?.sizeBytes ?? 0
    if (bytes > heard.bytes) heard = { bytes, at: Date.now() }
  }
  if (url !== null) {
    const { hostname, port } = new URL(url)
    return { host: hostname, port: Number(port) }
  }
  const said = await lastLine(context, run)
  throw new AppError('unreachable', `The run’s verifier did not start: ${said}`, {
    hint: 'Run the checks again; the row of the verifier says what is wrong.',
  })
}

async function verifierExits(context: LaunchContext, run: string): Promise<number> {
  const size = await context.box.files(run).stat('supervisor/verifier.exits')
  if (!size) return 0
  const bytes = await context.box.files(run).read('supervisor/verifier.exits', 0, size.sizeBytes)
  return new TextDecoder().decode(bytes).split('\n').length - 1
}

async function lastLine(context: LaunchContext, run: string): Promise<string> {
  const files = context.box.files(run)
  const size = (await files.stat('verifier.log'))?.sizeBytes ?? 0
  if (size === 0) return 'it said nothing.'
  const from = Math.max(0, size - 4096)
  const text = new TextDecoder().decode(await files.read('verifier.log', from, size - from))
  return text.trim().split('\n').at(-1) ?? 'it said nothing.'
}

async function undo(context: LaunchContext, run: string): Promise<void> {
  const { box, remote, ledger, home, runsDir } = context
  await box.stop(run, 2).catch(() => undefined)
  await context.verifiers.detach(run)
  for (const lease of inReleaseOrder(ledger.open(run))) {
    const released = await releaseLease(lease, home, remote)
    if (released.gone) await ledger.release(lease.id, released.proof)
    else await ledger.leave(lease.id, released.why)
  }
  await rm(join(runsDir, run), { recursive: true, force: true })
}

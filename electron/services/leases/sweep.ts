import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Lease, TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import { findByArgument } from '../box/process-identity.ts'
import type { LeaseLedger } from './ledger.ts'
import { orphans } from './recover.ts'
import { type RemoteLeases, releaseLease } from './release.ts'

export type SweepContext = {
  home: string
  /** Folder with one folder a run, and the one with the console's own verifiers' data. */
  boxes: string
  scratch: string
  ledger: LeaseLedger
  /** Gives back what an orphan left on a box; without it that is left, and said. */
  remote?: RemoteLeases
  store: { runs(): string[] }
}

/**
 * Gives back what no run needs: what a dead console held for itself, and folders (with the processes in them) that lie where only leased ones
 * should be but that no ledger line names. What a recorded run holds is that run's, for its teardown.
 */
export async function sweepLocal(context: SweepContext): Promise<TeardownReport> {
  const { ledger, home } = context
  const found = [...(await orphans(ledger, context.store.runs())), ...(await adoptStrays(context))]
  const report: TeardownReport = {
    plan: found.map((lease) => rowOf(lease, 'release', null)),
    released: [],
    left: [],
  }
  for (const lease of found) {
    const released = await releaseLease(lease, home, context.remote)
    if (released.gone) {
      await ledger.release(lease.id, released.proof)
      report.released.push(rowOf(lease, 'release', released.proof))
    } else {
      await ledger.leave(lease.id, released.why)
      report.left.push(rowOf(lease, 'keep', released.why))
    }
  }
  return report
}

/** Writes a lease for each stray, so that also what a sweep takes away is in the ledger first. */
async function adoptStrays({ boxes, scratch, ledger }: SweepContext): Promise<Lease[]> {
  const open = ledger.all().filter((lease) => lease.state !== 'released')
  const known = new Set(open.map((lease) => lease.identity.path))
  const adopted: Lease[] = []
  for (const parent of [boxes, scratch]) {
    for (const name of await readdir(parent).catch(() => [])) {
      const path = join(parent, name)
      if (known.has(path)) continue
      const base = { run: null, identity: { argument: path, path } }
      if ((await findByArgument(path)).length > 0) {
        adopted.push(
          await ledger.intend({
            ...base,
            id: `stray/${name}/process`,
            kind: 'process',
            label: `processes of ${path}`,
          }),
        )
      }
      adopted.push(
        await ledger.intend({ ...base, id: `stray/${name}/folder`, kind: 'folder', label: `folder ${path}` }),
      )
    }
  }
  return adopted
}

const rowOf = (lease: Lease, action: TeardownRow['action'], proof: string | null): TeardownRow => ({
  lease: lease.id,
  kind: lease.kind,
  label: lease.label,
  identity: lease.identity,
  action,
  proof,
})

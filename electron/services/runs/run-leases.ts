import type { Lease } from '#shared/domain/lease.ts'
import type { LeaseLedger } from '../leases/ledger.ts'

/** What a run holds on its box, in the order in which it is acquired; a teardown goes the other way round. */
export const runLeases = (run: string) => ({
  folder: `${run}/folder`,
  processes: `${run}/processes`,
  port: `${run}/port`,
})

/** Writes the run's leases down before anything of it exists. */
export async function intendRun(ledger: LeaseLedger, run: string, folder: string): Promise<string[]> {
  const ids = runLeases(run)
  await ledger.intend({
    id: ids.folder,
    run,
    kind: 'folder',
    label: `box folder ${folder}`,
    identity: { path: folder },
  })
  await ledger.intend({
    id: ids.processes,
    run,
    kind: 'process',
    label: 'supervisor, trainer and verifier',
    identity: { argument: folder },
  })
  await ledger.intend({ id: ids.port, run, kind: 'port', label: 'verifier’s port on 127.0.0.1' })
  return Object.values(ids)
}

const releaseOrder: Lease['kind'][] = ['process', 'tunnel', 'port', 'service', 'pod', 'hosts_pin', 'folder']

/** Processes first and folders last: nothing may still write into a folder that goes. */
export const inReleaseOrder = (leases: Lease[]): Lease[] =>
  [...leases].sort((a, b) => releaseOrder.indexOf(a.kind) - releaseOrder.indexOf(b.kind))

import type { Lease } from '#shared/domain/lease.ts'
import type { RunBox } from '../box/run-box.ts'
import type { LeaseLedger } from '../leases/ledger.ts'

/** What a run holds on its box, in the order in which it is acquired; a teardown goes the other way round. */
export const runLeases = (run: string) => ({
  folder: `${run}/folder`,
  processes: `${run}/processes`,
  port: `${run}/port`,
  /** Where the verifier is not on the box itself. */
  verifierFolder: `${run}/verifier-folder`,
})

/** Writes the run's leases down before anything of it exists. @returns their ids. */
export async function intendRun(ledger: LeaseLedger, run: string, box: RunBox): Promise<string[]> {
  const intents = box.leases(run)
  for (const intent of intents) await ledger.intend({ ...intent, run })
  return intents.map((intent) => intent.id)
}

const releaseOrder: Lease['kind'][] = [
  'process',
  'tunnel',
  'port',
  'deployment',
  'pod',
  'service',
  'network_policy',
  'config_map',
  'secret',
  'hold',
  'hosts_pin',
  'folder',
]

/** Processes first and folders last: nothing may still write into a folder that goes. */
export const inReleaseOrder = (leases: Lease[]): Lease[] =>
  [...leases].sort((a, b) => releaseOrder.indexOf(a.kind) - releaseOrder.indexOf(b.kind))

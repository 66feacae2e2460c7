import type { Lease } from '#shared/domain/lease.ts'
import { isAlive } from '../box/process-identity.ts'
import type { LeaseLedger } from './ledger.ts'
import { releaseLease } from './release.ts'

/** What a console gave back, or could not, that belonged to an earlier one. */
export type Recovered = { released: Lease[]; left: Lease[] }

/**
 * Gives back what a console that is no more held for itself (a preflight's verifier, an audit's) and what a launch that was cut short had
 * only begun to take. What belongs to a run stays: that is for the run's own teardown.
 * @param runs those that have a record.
 */
export async function recoverLeases(ledger: LeaseLedger, home: string, runs: string[]): Promise<Recovered> {
  const recovered: Recovered = { released: [], left: [] }
  for (const lease of await orphans(ledger, runs)) {
    const released = await releaseLease(lease, home)
    if (released.gone) recovered.released.push(await ledger.release(lease.id, released.proof))
    else recovered.left.push(await ledger.leave(lease.id, released.why))
  }
  return recovered
}

/** Leases that nobody is there for any more. */
export async function orphans(ledger: LeaseLedger, runs: string[]): Promise<Lease[]> {
  const known = new Set(runs)
  const found: Lease[] = []
  for (const lease of ledger.all()) {
    if (lease.state !== 'released' && (await isOrphan(lease, known))) found.push(lease)
  }
  return found
}

async function isOrphan(lease: Lease, runs: Set<string>): Promise<boolean> {
  const { ownerPid, ownerStartedAt } = lease.identity
  if (typeof ownerPid === 'number' && typeof ownerStartedAt === 'string') {
    return !(await isAlive({ pid: ownerPid, startedAt: ownerStartedAt }))
  }
  return lease.run !== null && !runs.has(lease.run)
}

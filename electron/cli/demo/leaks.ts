import { readdir, stat } from 'node:fs/promises'
import type { OpenCore } from '#services/core/core.ts'
import { dataFolder, rooms } from '#services/core/data-folder.ts'
import { isAnswering, isRemote, processesOf, type RemoteLeases } from '#services/leases/release.ts'
import type { Lease } from '#shared/domain/lease.ts'

/**
 * Looks, instead of believing the ledger: how many things that were ever taken for the run, or for the checks before it, are still there.
 * Processes by their recorded identity and by the folder in their arguments, folders by path, ports by whether anything answers.
 */
export async function countLeaks(core: OpenCore, run: string): Promise<number> {
  const { ledger, box, remote } = core.parts
  const taken = ledger.all().filter((lease) => lease.run === run || lease.identity.ownerPid === process.pid)
  const counts = await Promise.all(taken.map((lease) => leftOf(lease, remote)))
  const processes = await box.processes(run)
  const scratch = await readdir(rooms(dataFolder()).scratch).catch(() => [])
  const known = ledger.all()
  const strays = scratch.filter((name) => !known.some((lease) => String(lease.identity.path).endsWith(name)))
  return counts.reduce((sum, count) => sum + count, 0) + processes.length + strays.length
}

async function leftOf(lease: Lease, remote: RemoteLeases): Promise<number> {
  if (isRemote(lease)) return /^(alive|it is on|port .* open)/.test(await remote.look(lease)) ? 1 : 0
  if (lease.kind === 'process') return (await processesOf(lease)).length
  if (lease.kind === 'folder') {
    return stat(String(lease.identity.path)).then(
      () => 1,
      () => 0,
    )
  }
  const port = Number(lease.identity.port)
  return lease.kind === 'port' && port > 0 && (await isAnswering(port)) ? 1 : 0
}

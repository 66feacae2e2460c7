import { dataFolder, ensureDataFolder, rooms } from '#services/core/data-folder.ts'
import type { ProveDeps } from '#services/tasks/prove.ts'
import { Progress } from './output.ts'
import { stopSignal } from './with-core.ts'

/** What a command about tasks works with: the ledger of what it starts, a scratch folder, progress on stderr. All of it ends with the command. */
export async function withTaskWork<T>(work: (deps: ProveDeps) => Promise<T>): Promise<T> {
  const { LeaseLedger } = await import('#services/leases/ledger.ts')
  const home = dataFolder()
  await ensureDataFolder(home)
  const ledger = await LeaseLedger.open(rooms(home).leases, () => new Date())
  const { signal, forget } = stopSignal()
  const progress = new Progress()
  try {
    return await work({
      ledger,
      scratch: rooms(home).scratch,
      env: process.env,
      signal,
      onProgress: (stage, done, of) => progress.show(stage, `${done} of ${of}`, of === 0 ? null : done / of),
    })
  } finally {
    progress.close()
    forget()
    await ledger.close()
  }
}

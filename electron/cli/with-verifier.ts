import type { Command } from 'commander'
import { dataFolder, ensureDataFolder, rooms } from '#services/core/data-folder.ts'
import type { VerifierClient } from '#services/verifier/client.ts'
import { stopSignal } from './with-core.ts'

export type VerifierOptions = { suite: string; repo?: string; commit?: string; workers: number }

/** The options of a command that starts a verifier of its own. */
export const withVerifierOptions = (command: Command): Command =>
  command
    .requiredOption('--suite <dir>', 'suite folder')
    .option('--repo <dir>', 'repository, for suites over one')
    .option('--commit <sha>', 'commit of it')

/** Starts a verifier for one command and ends it, whatever happens; it is in the lease ledger meanwhile. */
export async function withVerifier<T>(
  options: VerifierOptions,
  purpose: string,
  work: (client: VerifierClient, stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const { LeaseLedger } = await import('#services/leases/ledger.ts')
  const { startOwnVerifier } = await import('#services/verifier/own-verifier.ts')
  const home = dataFolder()
  await ensureDataFolder(home)
  const ledger = await LeaseLedger.open(rooms(home).leases, () => new Date())
  const { signal, forget } = stopSignal()
  try {
    const args: string[] = []
    if (options.repo !== undefined) args.push('--repo', options.repo)
    if (options.commit !== undefined) args.push('--commit', options.commit)
    const verifier = await startOwnVerifier({
      ledger,
      scratch: rooms(home).scratch,
      suite: options.suite,
      workers: options.workers,
      run: null,
      purpose,
      args,
      env: process.env,
    })
    try {
      return await work(verifier.client, signal)
    } finally {
      await verifier.dispose()
    }
  } finally {
    forget()
    await ledger.close()
  }
}

import { verifierCommand } from '#services/box/local-box.ts'
import type { OpenCore } from '#services/core/core.ts'
import { runLeases } from '#services/runs/run-leases.ts'
import { bigSpec } from './big-run.ts'
import { type BenchHome, growCommand, layOutBox } from './home.ts'

/**
 * Lets the large run go on, on this machine as its box: under the real supervisor, with a real verifier, tailed by the console as any run; only the
 * trainer is one that writes and does not train. @returns its end.
 */
export async function growRun(
  core: OpenCore,
  home: BenchHome,
  eventsPerSecond: number,
): Promise<() => Promise<void>> {
  const { box, ledger, runs } = core.parts
  const { run } = home.big.sample
  const spec = bigSpec(home.big)
  const folder = box.folder(run)
  for (const intent of box.leases(run)) await ledger.intend({ ...intent, run })
  await box.prepare(run, JSON.stringify(spec), {
    env: {},
    verifier: verifierCommand(spec, folder),
    trainer: growCommand(folder, home, eventsPerSecond),
  })
  await layOutBox(folder, home)
  await ledger.hold(runLeases(run).folder)
  await box.start(run)
  runs.attach(run)
  return async () => {
    await box.stop(run)
    await runs.detach(run)
    for (const lease of ledger.open(run)) await ledger.release(lease.id, 'the bench is over')
  }
}

import { chmod } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import type { Canary } from './canary.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import { readTest, type TestReading } from './harness-output.ts'
import type { ProcessResult } from './run-process.ts'
import type { CargoTest } from './task.ts'

const MiB = 1024 ** 2

export type TestPlan = {
  test: CargoTest
  /** Relative to the target folder. */
  binary: string
  programs: string[]
  canary: Canary
  /** The package's folder, relative to the tree. */
  packageFolder: string
  packageName: string
  timeoutMs: number
  memoryBytes: number
  wide: boolean
  signal?: AbortSignal | undefined
}

export type TestRunResult = { reading: TestReading; result: ProcessResult }

/** Runs one test by its full path, ignored or not, in a process and sandbox of its own, with the canary after it. */
export async function runTest(
  confinement: Confinement,
  slot: SlotFolders,
  plan: TestPlan,
): Promise<TestRunResult> {
  const { tree, target } = confinement.paths(slot)
  // Executable but not readable, for the nonce of the canary is in its bytes; writable, for the next build replaces it (the test sees it read-only).
  if (confinement.isolation === 'sandbox') await chmod(`${slot.target}/${plan.binary}`, 0o311)
  const result = await confinement.test(slot, {
    argv: [
      `${target}/${plan.binary}`,
      ...['--exact', plan.test.name, plan.canary.test],
      ...['--include-ignored', '--test-threads=1', '--color=never', '--format=pretty'],
    ],
    cwd: plan.packageFolder,
    env: {
      CARGO_MANIFEST_DIR: plan.packageFolder === '.' ? tree : `${tree}/${plan.packageFolder}`,
      CARGO_PKG_NAME: plan.packageName,
    },
    executables: [plan.binary, ...plan.programs],
    wide: plan.wide,
    timeoutMs: plan.timeoutMs,
    outputBytes: 4 * MiB,
    memoryBytes: plan.memoryBytes,
    fileBytes: 64 * MiB,
    signal: plan.signal,
  })
  // The harness says its first line before any test begins: where it did not, the program never started.
  if (result.stdout === '' && /^(bwrap|limits|\/bin\/sh): /.test(result.stderr))
    throw new AppError('unresolved', `A test could not be started: ${result.stderr.trim().split('\n')[0]}.`)
  return { reading: readTest(result, plan.test.name, plan.canary), result }
}

import { readFile } from 'node:fs/promises'
import { buildMark, buildMarksIn } from './canary.ts'
import { type CargoReport, keyOfTarget, readCargoMessages } from './cargo-messages.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import type { ProcessResult } from './run-process.ts'
import { type CargoTask, type TestTarget, targetKey } from './task.ts'

const MiB = 1024 ** 2

export type BuildRequest = {
  package: string
  manifest: string
  features: string[]
  targets: TestTarget[]
  jobs: number
  timeoutMs: number
  memoryBytes: number
  signal?: AbortSignal | undefined
}

export type Build = {
  result: ProcessResult
  report: CargoReport
  /** Test binaries by `targetKey`, relative to the target folder. */
  binaries: Map<string, string>
  /** Programs that tests may start, relative to the target folder. */
  programs: string[]
}

export const requestFor = (task: CargoTask) => ({
  package: task.crate,
  manifest: task.manifest,
  features: task.features,
})

/** Compiles the test binaries of some targets of one package, without running any. */
export async function build(
  confinement: Confinement,
  slot: SlotFolders,
  request: BuildRequest,
): Promise<Build> {
  const targets = request.targets.flatMap(({ kind, name }) =>
    kind === 'lib' ? ['--lib'] : [`--${kind}`, name],
  )
  const features = request.features.length > 0 ? ['--features', request.features.join(',')] : []
  const result = await confinement.build(slot, {
    cwd: '.',
    argv: [
      ...['cargo', 'test', '--no-run', '--offline', '--locked', '--message-format=json'],
      ...['--manifest-path', request.manifest, '-p', request.package, ...targets, ...features],
    ],
    env: { CARGO_BUILD_JOBS: `${request.jobs}` },
    timeoutMs: request.timeoutMs,
    outputBytes: 32 * MiB,
    memoryBytes: request.memoryBytes,
    // One file of a build; a body that asks for a static of gigabytes ends here and not on a full disk.
    fileBytes: 1024 * MiB,
    signal: request.signal,
  })
  const report = readCargoMessages(result.stdout)
  const { target } = confinement.paths(slot)
  const inTarget = (path: string) => (path.startsWith(`${target}/`) ? path.slice(target.length + 1) : path)
  const binaries = new Map<string, string>()
  const programs: string[] = []
  for (const artifact of report.artifacts) {
    const key = keyOfTarget(artifact.target)
    if (artifact.executable === null || key === null) continue
    if (artifact.profile.test) binaries.set(key, inTarget(artifact.executable))
    else programs.push(inTarget(artifact.executable))
  }
  return { result, report, binaries, programs }
}

/**
 * Whether what was built is this grade's: the binaries are no leftovers, and their bytes hold this grade's mark and no other's, so that
 * neither this body's source was missed nor a former body of some other crate of the workspace is still linked.
 * @returns what is wrong, or null.
 */
export async function staleness(
  built: Build,
  slot: SlotFolders,
  targets: TestTarget[],
  nonce: string,
): Promise<string | null> {
  const old = built.report.artifacts.find(
    (item) => item.profile.test && item.executable !== null && item.fresh,
  )
  if (old) return `the test binary ${old.target.name} was not rebuilt`
  const marks = async (path: string) => buildMarksIn(await readFile(`${slot.target}/${path}`))
  const inPrograms = (await Promise.all(built.programs.map(marks))).flat()
  for (const target of targets) {
    const binary = built.binaries.get(targetKey(target))
    if (binary === undefined) return `there is no test binary for ${targetKey(target)}`
    const found = new Set([...(await marks(binary)), ...inPrograms])
    if (found.size !== 1 || !found.has(buildMark(nonce)))
      return `the test binary for ${targetKey(target)} holds ${found.size} build marks`
  }
  return null
}

import { cp, mkdir, rm } from 'node:fs/promises'
import { build } from '../build.ts'
import type { Package } from '../cargo-messages.ts'
import type { Confinement, SlotFolders } from '../confinement.ts'
import type { TestTarget } from '../task.ts'
import type { Workspace } from '../workspace.ts'
import type { ListedTests } from './discover.ts'

type Place = {
  confinement: Confinement
  workspace: Workspace
  /** Emptied afterwards. */
  scratch: string
  manifest: string
  log: (text: string) => void
}
/** `broken` says why a crate's tests could not be built; what was listed before stands. */
export type CrateTests = { owner: Package; listed: ListedTests[]; broken: string | null }

const limits = {
  timeoutMs: 900_000,
  memoryBytes: 8 * 1024 ** 3,
  outputBytes: 32 * 1024 ** 2,
  fileBytes: 1024 ** 3,
}

/** Builds the tests of each crate and asks each test binary for its names: a macro's tests stand in no source. */
export async function listTests(place: Place, packages: Package[]): Promise<CrateTests[]> {
  const { workspace, scratch } = place
  const slot: SlotFolders = {
    tree: `${scratch}/tree`,
    target: `${scratch}/target`,
    home: `${scratch}/home`,
    assets: workspace.assets,
  }
  for (const folder of [slot.target, slot.home]) await mkdir(folder, { recursive: true })
  await cp(workspace.tree, slot.tree, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  try {
    const crates: CrateTests[] = []
    for (const owner of packages) {
      place.log(`building the tests of ${owner.name}`)
      crates.push(await listCrate(place, slot, owner))
    }
    return crates
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function listCrate(place: Place, slot: SlotFolders, owner: Package): Promise<CrateTests> {
  const listed: ListedTests[] = []
  for (const target of targetsOf(owner)) {
    const built = await build(place.confinement, slot, {
      package: owner.name,
      manifest: place.manifest,
      features: [],
      targets: [target],
      jobs: 2,
      ...limits,
    })
    if (built.binaries.size === 0) {
      const said = built.report.messages.find((message) => message.level === 'error')?.rendered
      const words = (said ?? built.result.stderr).trim().split('\n')
      return {
        owner,
        listed,
        broken: words.find((line) => line.startsWith('error')) ?? words[0] ?? 'no reason given',
      }
    }
    for (const binary of built.binaries.values()) {
      const result = await place.confinement.test(slot, {
        argv: [`${place.confinement.paths(slot).target}/${binary}`, '--list', '--format=terse'],
        ...{ cwd: '.', env: {}, executables: [binary], wide: true, ...limits },
      })
      const names = result.stdout.split('\n').flatMap((line) => /^(.+): test$/.exec(line)?.[1] ?? [])
      listed.push({ target, names })
    }
  }
  return { owner, listed, broken: null }
}

const targetsOf = (owner: Package): TestTarget[] =>
  owner.targets.flatMap(({ key }): TestTarget[] => {
    const [kind, name] = key.split(':')
    if (kind === 'lib') return [{ kind, name: owner.name }]
    return kind === 'test' || kind === 'bin' ? [{ kind, name: name ?? '' }] : []
  })

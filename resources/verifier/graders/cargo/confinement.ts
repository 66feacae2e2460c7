import { existsSync } from 'node:fs'
import type { Isolation } from '#shared/domain/grade.ts'
import { findBubblewrap } from '../../sandbox/bubblewrap.ts'
import { inContainer } from '../../sandbox/container.ts'
import { buildEnvironment, testEnvironment } from './environment.ts'
import { type Filters, runLimited, writeFilters } from './limited.ts'
import type { ProcessOptions, ProcessResult } from './run-process.ts'
import type { Toolchain } from './toolchain.ts'

/** A slot's own folders on this machine. */
export type SlotFolders = { tree: string; target: string; assets: string; home: string }

/** Where a command finds them: the same for every slot where there is a sandbox, so that clones of a target folder stay fresh. */
export type SlotPaths = { tree: string; target: string }

export type Run = Pick<ProcessOptions, 'timeoutMs' | 'outputBytes' | 'signal'> & {
  argv: string[]
  /** Relative to the tree. */
  cwd: string
  env: Record<string, string>
  memoryBytes: number
  fileBytes: number
}

export type TestRun = Run & {
  /** The only files of the target folder that the test sees, relative to it. */
  executables: string[]
  /** Whether it may start processes, see /proc and read its own program; only where the tests need that with the reference body. */
  wide: boolean
}

export type Confinement = {
  isolation: Isolation
  detail: string
  paths(slot: SlotFolders): SlotPaths
  build(slot: SlotFolders, run: Run & { writableTree?: boolean }): Promise<ProcessResult>
  test(slot: SlotFolders, run: TestRun): Promise<ProcessResult>
}

const inside = {
  tree: '/ringside/tree',
  target: '/ringside/target',
  toolchain: '/ringside/toolchain',
  home: '/ringside/home',
}

/** What a linker needs, and what programs are loaded with. Links stay links. */
const systemFolders = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/include',
  '/usr/share/cargo',
]
const libraryFolders = ['/usr/lib', '/usr/lib64']
const links = ['/bin', '/lib', '/lib32', '/lib64']

/** A sandbox by bubblewrap, or where there is none, limits alone, said as such. */
export async function confine(toolchain: Toolchain, scratch: string): Promise<Confinement> {
  const found = await findBubblewrap()
  if ('missing' in found) return limitsOnly(toolchain, found.missing)
  const filters: Filters = writeFilters(scratch)
  const base = [found.path, ...found.flags, '--dev', '/dev', '--size', `${256 * 1024 * 1024}`]
  const common = [...base, '--tmpfs', '/tmp', ...links.flatMap(rootFolder)]
  const proc = ['--proc', '/proc']
  // The root itself is memory, and would take what a body writes beside its mounts.
  const seal = ['--remount-ro', '/']
  const bind = (folders: string[]) => folders.flatMap((folder) => ['--ro-bind-try', folder, folder])
  const environment = (env: Record<string, string>) =>
    Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])
  return {
    isolation: 'sandbox',
    detail:
      'Build and tests each in a bubblewrap sandbox: no network, no capability, an unprivileged user; of this machine only the toolchain, the system’s libraries and the slot’s own copy, read-only.',
    paths: () => ({ tree: inside.tree, target: inside.target }),
    build: (slot, run) =>
      runLimited(
        run,
        [filters.sandbox],
        [
          ...common,
          ...proc,
          ...bind([...systemFolders, '/etc/alternatives', '/etc/ld.so.cache']),
          ...['--ro-bind', toolchain.sysroot, inside.toolchain],
          ...[run.writableTree ? '--bind' : '--ro-bind', slot.tree, inside.tree],
          ...['--bind', slot.target, inside.target, '--bind', slot.home, inside.home],
          ...['--ro-bind-try', `${toolchain.cargoHome}/registry`, `${inside.home}/registry`],
          ...['--ro-bind-try', `${toolchain.cargoHome}/git`, `${inside.home}/git`],
          ...environment({ ...buildEnvironment(inside.toolchain, inside.home, inside.target), ...run.env }),
          ...seal,
          ...['--chdir', `${inside.tree}/${run.cwd}`, '--', ...run.argv],
        ],
      ),
    test: (slot, run) =>
      runLimited(run, run.wide ? [filters.sandbox] : [filters.sandbox, filters.threadsOnly], [
        ...common,
        ...(run.wide ? proc : []),
        ...bind([...libraryFolders, '/etc/ld.so.cache']),
        ...['--ro-bind', slot.assets, inside.tree],
        ...run.executables.flatMap((path) => [
          '--ro-bind',
          `${slot.target}/${path}`,
          `${inside.target}/${path}`,
        ]),
        ...environment({ ...testEnvironment, ...run.env }),
        ...seal,
        ...['--chdir', `${inside.tree}/${run.cwd}`, '--', ...run.argv],
      ]),
  }
}

function rootFolder(path: string): string[] {
  return existsSync(path) ? ['--symlink', `usr${path}`, path] : []
}

/** Without a sandbox: the same commands with a clean environment and limits, each slot at its own path, and a mark that says so. */
function limitsOnly(toolchain: Toolchain, missing: string): Confinement {
  return {
    isolation: inContainer() ? 'container' : 'limits',
    detail: `${inContainer() ? 'Container only' : 'Not isolated'}: ${missing}. Bodies run as this user with limits on time, memory and output only.`,
    paths: (slot) => ({ tree: slot.tree, target: slot.target }),
    build: (slot, run) =>
      runLimited(run, [], run.argv, {
        cwd: `${slot.tree}/${run.cwd}`,
        env: { ...buildEnvironment(toolchain.sysroot, toolchain.cargoHome, slot.target), ...run.env },
      }),
    test: (slot, run) =>
      runLimited(run, [], run.argv, {
        cwd: `${slot.assets}/${run.cwd}`,
        env: { ...testEnvironment, ...run.env },
      }),
  }
}

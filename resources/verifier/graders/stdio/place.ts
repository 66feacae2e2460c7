import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import type { Isolation } from '#shared/domain/grade.ts'
import type { Limits } from '#shared/domain/suite.ts'
import { findBubblewrap } from '../../sandbox/bubblewrap.ts'
import { runLimited, writeFilters } from '../cargo/limited.ts'
import type { ProcessResult } from '../cargo/run-process.ts'

/** A slot's folder of one body: what is compiled, and what came of it. */
export type Work = { source: string; out: string }

export type Command = {
  argv: string[]
  /** Of this machine, seen read-only at the same place. */
  reads: string[]
  env: Record<string, string>
  /** False where a program reserves far more address space than it uses. */
  boundMemory: boolean
}

/** Where programs are built and run: a sandbox by bubblewrap, or limits alone, said as such. */
export type Place = {
  isolation: Isolation
  detail: string
  /** Where a command finds the slot's folder. */
  seen(work: Work): Work
  build(work: Work, command: Command, signal: AbortSignal): Promise<ProcessResult>
  run(
    work: Work,
    command: Command,
    limits: Limits,
    stdin: Uint8Array,
    signal: AbortSignal,
  ): Promise<ProcessResult>
}

const MiB = 1024 ** 2
/** A compiler's own: a program of a few hundred lines takes seconds on a slow machine. */
export const buildLimits = {
  timeoutMs: 60_000,
  cpuMs: 60_000,
  memoryBytes: 4096 * MiB,
  outputBytes: MiB,
  fileBytes: 256 * MiB,
}

const inside: Work = { source: '/ringside/source', out: '/ringside/out' }
const compilerFolders = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/libexec',
  '/usr/include',
  '/etc/alternatives',
]
const libraryFolders = ['/usr/lib', '/usr/lib64']
const links = ['/bin', '/lib', '/lib32', '/lib64']

export async function findPlace(scratch: string): Promise<Place> {
  const tool = await findBubblewrap()
  if ('missing' in tool) return limitsOnly(tool.missing)
  const filters = writeFilters(`${scratch}/filters`)
  const root = links.flatMap((path) => (existsSync(path) ? ['--symlink', `usr${path}`, path] : []))
  const common = [
    tool.path,
    ...tool.flags,
    '--dev',
    '/dev',
    '--size',
    `${64 * MiB}`,
    '--tmpfs',
    '/tmp',
    ...root,
  ]
  const bind = (paths: string[]) => paths.flatMap((path) => ['--ro-bind-try', path, path])
  const env = (values: Record<string, string>) =>
    Object.entries({ PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', ...values }).flatMap(
      ([name, value]) => ['--setenv', name, value],
    )
  const seal = ['--remount-ro', '/', '--chdir', '/tmp', '--']
  return {
    isolation: 'sandbox',
    detail:
      'Built and run each in a bubblewrap sandbox of its own: no network, no capability, no other process, an unprivileged user; of this machine only the system’s libraries and the language’s own files, read-only.',
    seen: () => inside,
    build: (work, { argv, reads, env: own }, signal) =>
      runLimited(
        { ...buildLimits, signal },
        [filters.sandbox],
        [
          ...common,
          ...['--proc', '/proc'],
          ...bind([...compilerFolders, '/etc/ld.so.cache', ...reads]),
          ...['--ro-bind', work.source, inside.source, '--bind', work.out, inside.out],
          ...env(own),
          ...seal,
          ...argv,
        ],
      ),
    run: (work, { argv, reads, env: own, boundMemory }, limits, stdin, signal) =>
      runLimited(
        runLimits(limits, boundMemory, stdin, signal),
        [filters.sandbox, filters.threadsOnly],
        [
          ...common,
          ...bind([...libraryFolders, '/etc/ld.so.cache', ...reads]),
          ...['--ro-bind', work.source, inside.source, '--ro-bind', work.out, inside.out],
          ...env(own),
          ...seal,
          ...argv,
        ],
      ),
  }
}

const runLimits = (limits: Limits, boundMemory: boolean, stdin: Uint8Array, signal: AbortSignal) => ({
  timeoutMs: limits.wallMs,
  cpuMs: limits.cpuMs,
  memoryBytes: boundMemory ? limits.memoryBytes : null,
  outputBytes: limits.outputBytes,
  fileBytes: limits.fileBytes,
  stdin,
  signal,
})

function limitsOnly(missing: string): Place {
  const environment = (env: Record<string, string>) => ({
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    ...env,
  })
  return {
    isolation: 'limits',
    detail: `Not isolated: ${missing}. Programs run as this user with limits on time, memory and output only.`,
    seen: (work) => work,
    build: (work, { argv, env }, signal) =>
      runLimited({ ...buildLimits, signal }, [], argv, { cwd: work.out, env: environment(env) }),
    run: (work, { argv, env, boundMemory }, limits, stdin, signal) =>
      runLimited(runLimits(limits, boundMemory, stdin, signal), [], argv, {
        cwd: work.out,
        env: environment(env),
      }),
  }
}

/** An empty folder for one body, with its source; the sandbox’s user must be able to read the one and write the other. */
export async function layOut(root: string, file: string, body: string): Promise<Work> {
  const work = { source: `${root}/source`, out: `${root}/out` }
  await rm(root, { recursive: true, force: true })
  for (const folder of [work.source, work.out]) await mkdir(folder, { recursive: true })
  await writeFile(`${work.source}/${file}`, body)
  return work
}

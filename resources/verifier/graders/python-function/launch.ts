import { spawn } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { release } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { type Bubblewrap, findBubblewrap } from '../../sandbox/bubblewrap.ts'
import { sandboxFilter, threadsOnlyFilter } from '../../sandbox/seccomp.ts'
import type { Interpreter } from './interpreter.ts'
import { type Launcher, pythonFlags, tmpfsBytes } from './launcher.ts'
import { limitsLauncher, userLauncher } from './limits-launcher.ts'

const libraryFolder = '/ringside-lib'
/** An interpreter and its libraries take some 30 MB: a small part of a disk that has this much left. */
const roomForCopies = 2 ** 30

/**
 * A sandbox where bubblewrap is there and passes `test`, else a user of its own a slot, else process limits alone; `detail` says which and why.
 * @param scratch a folder of our own. @param secrets files that no program may read. @param test runs a known program and says what went wrong, or null.
 * @throws AppError `unresolved` where programs cannot be run at all.
 */
export async function findLauncher(
  python: Interpreter,
  scratch: string,
  secrets: string[],
  test: (launcher: Launcher) => Promise<string | null>,
): Promise<Launcher> {
  const tool = await findBubblewrap()
  let why = 'missing' in tool ? tool.missing : ''
  if (!('missing' in tool)) {
    const sandbox = sandboxLauncher(python, scratch, tool)
    const fault = await test(sandbox)
    if (fault === null) return sandbox
    sandbox.dispose()
    why = `Python does not run under bubblewrap here: ${fault.trim()}`
  }
  const apart = userLauncher(python, scratch, why, secrets)
  if (typeof apart !== 'string') {
    const fault = await test(apart)
    if (fault === null) return apart
    why += `; ${fault.trim()}`
  } else why += `; ${apart}`
  const limited = limitsLauncher(python, scratch, why)
  const fault = await test(limited)
  if (fault === null) return limited
  limited.dispose()
  throw new AppError('unresolved', `${python.executable} runs no program here: ${fault.trim()}.`)
}

function sandboxLauncher(python: Interpreter, scratch: string, tool: Bubblewrap): Launcher {
  const filter = sandboxFilter(process.arch)
  const threadsOnly = threadsOnlyFilter(process.arch)
  const skeleton = join(scratch, 'root')
  const filterFile = join(scratch, 'sandbox.bpf')
  const mounts = layRoot(python, skeleton)
  if (filter !== null) writeFileSync(filterFile, filter)
  const counted = countsPerNamespace()
  const before = [...tool.flags, '--ro-bind', skeleton, '/', ...mounts]
  const after = [
    ...['--remount-ro', '/', '--chdir', '/tmp', '--setenv', 'LD_LIBRARY_PATH', libraryFolder],
    // Bound at start, so that not every child does it for itself.
    ...['--setenv', 'MALLOC_ARENA_MAX', '1', '--setenv', 'LD_BIND_NOW', '1', '--as-pid-1'],
  ]
  return {
    isolation: 'sandbox',
    detail:
      filter === null
        ? `bubblewrap with Python ${python.version}, without a system call filter on ${process.arch}`
        : `bubblewrap with a system call filter, Python ${python.version}`,
    tmpOf: () => '/tmp',
    readable: python.roots,
    childFilters: threadsOnly === null ? [] : [threadsOnly],
    processLimit: (limits) => (counted ? limits.processes + 2 : 0),
    tmpBytes: tmpfsBytes,
    start(_slot, limits) {
      const fd = filter === null ? null : openSync(filterFile, 'r')
      try {
        const tmp = ['--size', String(tmpfsBytes(limits)), '--tmpfs', '/tmp']
        const args = [...before, ...tmp, ...after, ...(fd === null ? [] : ['--seccomp', '3'])]
        return spawn(tool.path, [...args, python.executable, ...pythonFlags], {
          stdio: fd === null ? ['pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe', fd],
          env: {},
        })
      } finally {
        if (fd !== null) closeSync(fd)
      }
    },
    // The sandbox dies with bubblewrap.
    kill: (child) => void child.kill('SIGKILL'),
    dispose: () => rmSync(skeleton, { recursive: true, force: true }),
  }
}

/**
 * Lays out an almost empty root: the interpreter and its libraries, their other names, and names to mount on. Copies where there is room, not mounts: a
 * file that was written in one piece lies in large pieces in the page cache, and a child, which maps all of it, then comes and goes a tenth quicker; a
 * mount also costs each sandbox time; and nobody changes a running service's interpreter by installing another.
 * @returns bubblewrap's arguments for the rest.
 */
function layRoot(python: Interpreter, root: string): string[] {
  rmSync(root, { recursive: true, force: true })
  for (const folder of ['/tmp', libraryFolder, ...python.roots]) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  const files = new Map<string, string>([[python.executable, python.executable]])
  for (const [path, names] of Object.entries(python.libraries)) {
    files.set(`${libraryFolder}/${basename(path)}`, path)
    for (const name of names.filter((name) => name !== basename(path))) {
      symlinkSync(basename(path), join(root, libraryFolder, name))
    }
  }
  if (python.loader !== null) files.set(python.loader, python.loader)
  const isRoomy = freeBytes(root) >= roomForCopies
  for (const [target, source] of files) {
    mkdirSync(dirname(join(root, target)), { recursive: true })
    writeFileSync(join(root, target), isRoomy ? readFileSync(source) : '', { mode: 0o755 })
  }
  mkdirSync(join(root, '/dev'), { recursive: true })
  writeFileSync(join(root, '/dev/null'), '')
  const empty = join(root, 'empty')
  mkdirSync(empty)
  return [
    ...python.roots.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...python.hidden.flatMap((folder) => ['--ro-bind', empty, folder]),
    ...(isRoomy ? [] : [...files].flatMap(([target, source]) => ['--ro-bind', source, target])),
    ...['--dev-bind', '/dev/null', '/dev/null'],
  ]
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Since Linux 5.14 process limits count within a user namespace; for root, even mapped to another user, they do not count at all. */
function countsPerNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
}

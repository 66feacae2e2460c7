import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inContainer } from '../../sandbox/container.ts'
import { sandboxFilter, threadsOnlyFilter } from '../../sandbox/seccomp.ts'
import type { Interpreter } from './interpreter.ts'
import { type Launcher, pythonFlags, tmpfsBytes } from './launcher.ts'

/** The first of the users that programs run as, one a slot: in a range that no system gives to people or to its own services. */
const firstUser = 60_100

/** Programs run as the verifier's own user, under limits alone. Around it there may be a container, which holds them in together. */
export function limitsLauncher(python: Interpreter, scratch: string, why: string): Launcher {
  const contained = inContainer()
  const what = contained
    ? 'Container only: process limits, and programs run as the verifier’s own user inside its container'
    : 'Not isolated: process limits only, programs run as this user'
  return {
    ...common(python, scratch),
    isolation: contained ? 'container' : 'limits',
    detail: `${what} (${why}); Python ${python.version}`,
    processLimit: () => 0,
    start: (slot) => startIn(python, tmpOf(scratch, slot)),
  }
}

/**
 * Programs run as a user of their own a slot, under limits. It needs a verifier that may become other users (root, in a pod with SETUID,
 * SETGID, CHOWN and KILL), and a suite that those users cannot read.
 * @param secrets files that hold what a program must not see. @returns the launcher, or why there can be none, for people.
 */
export function userLauncher(
  python: Interpreter,
  scratch: string,
  why: string,
  secrets: string[],
): Launcher | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root can run programs as other users'
  if (process.env.RINGSIDE_SANDBOX === 'limits') return 'users of their own are switched off'
  const blind = cannotRead(python, secrets)
  if (blind !== null) return blind
  // What the verifier writes from here on (evidence holds what was expected) is its own.
  process.umask(0o077)
  // It may be passed through, to a slot's own folder, and not looked into.
  chmodSync(scratch, 0o711)
  return {
    ...common(python, scratch),
    isolation: 'user',
    detail: `A user of its own for every slot, with process limits (${why}); Python ${python.version}`,
    processLimit: (limits) => limits.processes + 2,
    start: (slot) => {
      const tmp = tmpOf(scratch, slot)
      const user = firstUser + slot
      // Once given away, a root without every capability may change it no more.
      if (mkdirSync(tmp, { recursive: true }) !== undefined) {
        // The verifier's own group keeps its way in, to clear it.
        chmodSync(tmp, 0o770)
        chownSync(tmp, user, process.getgid?.() ?? user)
      }
      return startIn(python, tmp, user)
    },
  }
}

const tmpOf = (scratch: string, slot: number) => join(scratch, `tmp-${slot}`)

function common(python: Interpreter, scratch: string) {
  const filters = [sandboxFilter(process.arch), threadsOnlyFilter(process.arch)]
  return {
    tmpOf: (slot: number) => tmpOf(scratch, slot),
    tmpBytes: tmpfsBytes,
    readable: python.roots,
    childFilters: process.platform === 'linux' ? filters.filter((filter) => filter !== null) : [],
    kill,
    dispose: () => clear(scratch),
  }
}

/** What a program left that only its own user may open stays: it is scratch, and nothing reads it. */
function clear(scratch: string): void {
  try {
    rmSync(scratch, { recursive: true, force: true })
  } catch {
    // Said above.
  }
}

function startIn(python: Interpreter, tmp: string, user?: number): ChildProcess {
  mkdirSync(tmp, { recursive: true })
  return spawn(python.executable, pythonFlags, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // It goes there itself, as its own user; the verifier's may not be able to.
    cwd: user === undefined ? tmp : '/',
    env: { MALLOC_ARENA_MAX: '1', LD_BIND_NOW: '1', TMPDIR: tmp },
    detached: true,
    ...(user !== undefined && { uid: user, gid: user }),
  })
}

function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/** Asks as the first slot's user. @returns null where it can read none of the files, else what is in the way. */
function cannotRead(python: Interpreter, secrets: string[]): string | null {
  const script =
    'import os, sys; sys.exit(3 if any(os.access(path, os.R_OK) for path in sys.argv[1:]) else 0)'
  const { status, error } = spawnSync(python.executable, ['-I', '-S', '-c', script, ...secrets], {
    uid: firstUser,
    gid: firstUser,
    stdio: 'ignore',
    cwd: '/',
  })
  if (status === 0) return null
  if (status === 3) return 'other users can read the suite'
  return `Python does not run as another user (${error?.message ?? `it ended with ${status}`})`
}

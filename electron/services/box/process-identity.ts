import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * What tells one process from every other, also after its number was given out again: the number and when it started. `startedAt` is the
 * kernel's tick count where /proc has it (a wall-clock start time moves when the clock is set), else what `ps -o lstart=` prints in UTC.
 * The supervisor script writes the same form.
 */
export type ProcessIdentity = { pid: number; startedAt: string }

/** @returns null where no such process is alive; a zombie has ended and only waits to be reaped. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null
  const startedAt = process.platform === 'linux' ? await startFromProc(pid) : await startFromPs(pid)
  return startedAt === null ? null : { pid, startedAt }
}

/** Whether exactly this process, and not a later one with its number, is alive. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const now = await identifyProcess(identity.pid)
  return now !== null && now.startedAt === identity.startedAt
}

async function startFromProc(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Fields after the name, which may itself hold spaces and brackets: state is the first of them, the start in ticks the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `ticks:${fields[19]}`
  } catch {
    return null
  }
}

const psEnv = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }

async function startFromPs(pid: number): Promise<string | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { env: psEnv })
    const [state, ...start] = stdout.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z') || start.length === 0) return null
    return `lstart:${start.join(' ')}`
  } catch {
    return null
  }
}

/**
 * Processes one of whose arguments is exactly `argument` (a folder that belongs to that process alone). For what was started just before a
 * crash, when its number was not yet written down.
 */
export async function findByArgument(argument: string): Promise<ProcessIdentity[]> {
  const pids = process.platform === 'linux' ? await pidsFromProc(argument) : await pidsFromPs(argument)
  const found = await Promise.all(pids.filter((pid) => pid !== process.pid).map(identifyProcess))
  return found.filter((identity) => identity !== null)
}

async function pidsFromProc(argument: string): Promise<number[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const hits = await Promise.all(
    names.map(async (name) => {
      const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')
      return line.split('\0').includes(argument) ? Number(name) : null
    }),
  )
  return hits.filter((pid) => pid !== null)
}

async function pidsFromPs(argument: string): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-ww', '-o', 'pid=', '-o', 'args='], { maxBuffer: 1 << 26 })
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s(.*)$/.exec(line)
    // `ps` joins arguments with spaces: the folder must stand alone between them.
    return match && ` ${match[2]} `.includes(` ${argument} `) ? [Number(match[1])] : []
  })
}

/** Sends a signal to one process or, with `group`, to all of its process group. @returns whether there was one to send it to. */
export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL', group = false): boolean {
  try {
    process.kill(group ? -pid : pid, name)
    return true
  } catch {
    return false
  }
}

/** Waits until `gone` says so, asking every 50 ms. @returns whether it did within `limitMs`. */
export async function waitUntil(gone: () => Promise<boolean>, limitMs: number): Promise<boolean> {
  for (const end = Date.now() + limitMs; ; ) {
    if (await gone()) return true
    if (Date.now() >= end) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Ends exactly this process (and its group): asks, waits `graceMs`, then insists. @returns whether it is gone. */
export async function endProcess(
  identity: ProcessIdentity,
  options: { group: boolean; graceMs: number },
): Promise<boolean> {
  const gone = async () => !(await isAlive(identity))
  if (await gone()) return true
  signal(identity.pid, 'SIGTERM', options.group)
  if (await waitUntil(gone, options.graceMs)) return true
  signal(identity.pid, 'SIGKILL', options.group)
  return waitUntil(gone, 5_000)
}

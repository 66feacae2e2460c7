import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Every namespace, no capability, another user, no way to make more namespaces, and nothing survives the service. Mounts are the caller's.
 * `--unshare-user` is said apart because `--disable-userns` wants it so.
 */
const confinement = [
  '--unshare-all',
  '--unshare-user',
  '--die-with-parent',
  '--new-session',
  '--cap-drop',
  'ALL',
  '--uid',
  '65534',
  '--gid',
  '65534',
  '--hostname',
  'sandbox',
  '--clearenv',
]

export type Bubblewrap = { path: string; flags: string[] }

/**
 * Looks for a bubblewrap that works here, by running it. Older ones (before 0.8) have no `--disable-userns`; there the system call filter
 * alone refuses new namespaces.
 * @returns the tool with the flags that it takes, or why there is none, for people.
 */
export async function findBubblewrap(): Promise<Bubblewrap | { missing: string }> {
  if (process.platform !== 'linux') return { missing: `bubblewrap is for Linux; this is ${process.platform}` }
  const only = process.env.RINGSIDE_SANDBOX
  if (only === 'limits' || only === 'user') return { missing: `switched off by RINGSIDE_SANDBOX=${only}` }
  const path = process.env.RINGSIDE_BWRAP ?? 'bwrap'
  let reason = ''
  for (const flags of [[...confinement, '--disable-userns'], confinement]) {
    try {
      await run(path, [...flags, '--ro-bind', '/', '/', '/bin/sh', '-c', ':'], { timeout: 20_000 })
      return { path, flags }
    } catch (failure) {
      const { code, stderr } = failure as { code?: unknown; stderr?: string }
      reason = code === 'ENOENT' ? 'bubblewrap is not installed' : `bubblewrap does not work here: ${stderr}`
    }
  }
  return { missing: reason.trim() }
}

import { execFile } from 'node:child_process'
import { mkdir, statfs, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'

const run = promisify(execFile)

/** One row of a preflight before it is looked at; what takes long says how far it is. */
export type Check = {
  check: string
  label: string
  overridable?: boolean
  look: (say: (detail: string) => void) => Promise<Finding>
}

/** What a check found: `detail` is shown, a `remedy` goes with every warning and failure. */
export type Finding = { state: 'passed' | 'warned' | 'failed'; detail: string; remedy?: string }

export const passed = (detail: string): Finding => ({ state: 'passed', detail })
export const warned = (detail: string, remedy: string): Finding => ({ state: 'warned', detail, remedy })
export const failed = (detail: string, remedy: string): Finding => ({ state: 'failed', detail, remedy })

export async function checkDataFolder(home: string): Promise<Finding> {
  const probe = join(home, `.probe-${process.pid}`)
  try {
    await mkdir(home, { recursive: true })
    await writeFile(probe, 'x'.repeat(4096), { flush: true })
    await unlink(probe)
    return passed(home)
  } catch (failure) {
    await unlink(probe).catch(() => undefined)
    return failed(
      `${home} cannot be written: ${(failure as Error).message}`,
      'Free space there, or choose another folder with RINGSIDE_HOME.',
    )
  }
}

/** A run of the embedded trainer keeps some tens of MB of evidence; below the first limit it could stop half-way. */
const needBytes = 200 * 1024 ** 2
const wantBytes = 1024 ** 3

export async function checkDisk(home: string): Promise<Finding> {
  const disk = await statfs(home).catch(() => null)
  if (!disk) return warned('free space is unknown on this file system', 'Make sure that 1 GiB is free.')
  const freeBytes = disk.bavail * disk.bsize
  const detail = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`
  const remedy = 'Free disk space, or choose another folder with RINGSIDE_HOME.'
  if (freeBytes < needBytes) return failed(detail, remedy)
  return freeBytes < wantBytes ? warned(detail, remedy) : passed(detail)
}

/** node:sqlite without a flag, and running TypeScript as it is, need this. */
const minimumNode = [22, 19] as const

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const enough = major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])
  return enough
    ? passed(version)
    : failed(version, `Use Node ${minimumNode.join('.')} or later; npm install brings one on Linux.`)
}

/** Where the verifier looks too: an application started from a desktop often has a short PATH. */
const pythons = ['python3', '/usr/bin/python3', '/usr/local/bin/python3', '/opt/homebrew/bin/python3']

/** Where the interpreter is that candidates run under, asked the interpreter itself. Null where there is none. */
export async function findPython(env: NodeJS.ProcessEnv): Promise<{ path: string; version: string } | null> {
  const script = 'import sys; print(sys.executable); print("%d.%d.%d" % sys.version_info[:3])'
  for (const name of env.RINGSIDE_PYTHON ? [env.RINGSIDE_PYTHON] : pythons) {
    const said = await run(name, ['-I', '-S', '-c', script], { env, timeout: 60_000 }).catch(() => null)
    const [path, version] = said?.stdout.trim().split(/\r?\n/) ?? []
    if (path && version) return { path, version }
  }
  return null
}

export async function checkPython(env: NodeJS.ProcessEnv): Promise<Finding> {
  const python = await findPython(env)
  const remedy = 'Install Python 3.10 or later, or set RINGSIDE_PYTHON to its path.'
  if (!python) return failed(`no Python 3 at ${env.RINGSIDE_PYTHON ?? 'the usual places'}`, remedy)
  const [major = 0, minor = 0] = python.version.split('.').map(Number)
  const detail = `Python ${python.version} at ${python.path}`
  return major > 3 || (major === 3 && minor >= 10) ? passed(detail) : failed(detail, remedy)
}

/** The verifier takes a free port by itself; what can go wrong is that this user may open none on loopback. */
export async function checkPort(): Promise<Finding> {
  const server = createServer()
  try {
    const port = await new Promise<number>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        const address = server.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      })
    })
    return passed(`127.0.0.1:${port} was free`)
  } catch (failure) {
    return failed(
      `no port can be opened on 127.0.0.1: ${(failure as Error).message}`,
      'Allow this user to listen on loopback.',
    )
  } finally {
    server.close()
  }
}

/** What a check that threw found. */
export function fromError(thrown: unknown): Finding {
  const error = thrown instanceof AppError ? thrown : null
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return failed(message, error?.hint ?? 'See the log for details.')
}

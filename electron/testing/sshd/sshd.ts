import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { keyPair, publicOf } from './keys.ts'

export type TestServer = {
  port: number
  user: string
  /** Home folder of whoever logs in. */
  home: string
  /** Line for `known_hosts`. */
  knownHosts: string
  log(): string
  /** Ends every connection at once, as a link that breaks; the server goes on. */
  cutAll(): void
  /** Process numbers of the connections' own servers. */
  children(): number[]
  stop(): Promise<void>
  start(): Promise<void>
}

export type SshdOptions = {
  /** A folder of the test's own, which it removes. */
  folder: string
  /** Public keys that may log in. */
  authorized: string[]
  /** Lines in front of the configuration. */
  config?: string[]
  port?: number
  hostKey?: string
  /** A folder to look for programs in first. */
  path?: string
}

const sshd = '/usr/sbin/sshd'
export const hasSshd = existsSync(sshd)

/** A real OpenSSH server on loopback with a host key of its own. Who logs in has this user's name, a home folder in `folder`, and this Node. */
export async function startSshd(options: SshdOptions): Promise<TestServer> {
  const { folder } = options
  mkdirSync(join(folder, 'home'), { recursive: true })
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const port = options.port ?? (await freePort())
  const hostKey = options.hostKey ?? keyPair(folder, 'host')
  const log = join(folder, 'sshd.log')
  const config = join(folder, 'sshd_config')
  writeFileSync(join(folder, 'authorized'), `${options.authorized.join('\n')}\n`, { mode: 0o600 })
  writeFileSync(config, configText(options, { folder, port, hostKey }))
  const user = userInfo().username
  let server: ReturnType<typeof spawn> | null = null
  const start = async () => {
    server = spawn(sshd, ['-D', '-f', config, '-E', log], { stdio: 'ignore' })
    const started = server
    for (let tries = 0; !(await isOpen(port)); tries += 1) {
      if (started.exitCode !== null || tries > 200)
        throw new Error(`sshd did not start: ${readFileSync(log, 'utf8')}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  const children = () => (server?.pid === undefined ? [] : descendants(server.pid))
  await start()
  return {
    port,
    user,
    home: join(folder, 'home'),
    knownHosts: `[127.0.0.1]:${port} ${publicOf(hostKey)}`,
    log: () => readFileSync(log, 'utf8'),
    children,
    cutAll: () => {
      for (const pid of children()) if (isSshd(pid)) kill(pid)
    },
    stop: async () => {
      const ending = server
      server = null
      if (ending?.pid === undefined || ending.exitCode !== null) return
      const left = descendants(ending.pid).filter(isSshd)
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.kill('SIGTERM')
      await ended
      for (const pid of left) kill(pid)
    },
    start,
  }
}

function configText(
  { config = [], path }: SshdOptions,
  at: { folder: string; port: number; hostKey: string },
): string {
  const bin = dirname(process.execPath)
  return [
    ...config,
    `Port ${at.port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${at.hostKey}`,
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    `AuthorizedKeysFile ${at.folder}/authorized`,
    `PidFile ${at.folder}/sshd.pid`,
    'LogLevel DEBUG1',
    'MaxStartups 100',
    `SetEnv PATH=${path === undefined ? '' : `${path}:`}${bin}:/usr/local/bin:/usr/bin:/bin HOME=${at.folder}/home`,
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n')
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

async function isOpen(port: number): Promise<boolean> {
  const { isAnswering } = await import('#services/leases/release.ts')
  return isAnswering(port)
}

function descendants(root: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
  const pairs = table.map((line) => line.trim().split(/\s+/).map(Number))
  const found = new Set([root])
  for (let size = 0; size !== found.size; ) {
    size = found.size
    for (const [pid = 0, parent = 0] of pairs) if (found.has(parent)) found.add(pid)
  }
  return [...found].filter((pid) => pid !== root)
}

function isSshd(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)])
      .toString()
      .startsWith('sshd')
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

import { homedir, userInfo } from 'node:os'
import { AppError } from '#shared/base/errors.ts'
import { type ClientConfig, parseClientConfig, parseTarget, targetText } from '#shared/ssh/client-config.ts'
import { startProgram } from './ssh-process.ts'

/** One machine on the way to a box, the last being the box itself. */
export type Hop = ClientConfig & { name: string }

export type ResolveOptions = {
  /** In place of the user's own configuration, as `ssh -F`. */
  configFile?: string | undefined
  limitMs?: number
}

/** `Match exec` runs commands of the user's; one that never ends must not hold the window. */
const defaultLimitMs = 10_000
const deepest = 8

/**
 * The way to `target`, asked the user's own client: aliases, Include, Match and ProxyJump as it understands them.
 * @throws {AppError} `bad_input` for what is no target, `ssh_config` where the client cannot say.
 */
export async function resolveHops(target: string, options: ResolveOptions): Promise<Hop[]> {
  return hopsTo(target, null, options, [])
}

/** As OpenSSH does it: the last jump is reached through those before it, and the first by what its own configuration says. */
async function hopsTo(
  target: string,
  jumps: string[] | null,
  options: ResolveOptions,
  seen: string[],
): Promise<Hop[]> {
  if (seen.length >= deepest)
    throw new AppError('ssh_config', `The jumps to ${seen[0]} go in a circle: ${seen.join(' → ')}.`)
  const config = await clientConfig(target, options)
  const via = jumps ?? config.jumps
  const hop: Hop = { ...config, name: target, jumps: via, ...(via.length > 0 && { proxyCommand: null }) }
  const last = via.at(-1)
  if (last === undefined) return [hop]
  const before = via.slice(0, -1)
  return [...(await hopsTo(last, before.length > 0 ? before : null, options, [...seen, target])), hop]
}

async function clientConfig(text: string, options: ResolveOptions): Promise<ClientConfig> {
  const target = parseTarget(text)
  if (!target) throw new AppError('bad_input', `${JSON.stringify(text)} is no alias and no user@host:port.`)
  const args = ['-G', ...(options.configFile ? ['-F', options.configFile] : [])]
  if (target.user !== null) args.push('-l', target.user)
  if (target.port !== null) args.push('-p', String(target.port))
  const said = await askClient(
    [...args, '--', target.host],
    targetText(target),
    options.limitMs ?? defaultLimitMs,
  )
  const config = parseClientConfig(said)
  if (!config) throw new AppError('ssh_config', `ssh -G ${text} did not say where that is.`)
  return {
    ...config,
    identityFiles: config.identityFiles.map((path) => expandPath(path, config)),
    certificateFiles: config.certificateFiles.map((path) => expandPath(path, config)),
    knownHosts: config.knownHosts.map((path) => expandPath(path, config)),
    agent: config.agent && expandPath(config.agent, config),
    revokedHostKeys: config.revokedHostKeys && expandPath(config.revokedHostKeys, config),
  }
}

function askClient(args: string[], name: string, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // In a group of its own: a command of `Match exec` that hangs is ended with it.
    const child = startProgram('ssh', args, { detached: true })
    child.stdin.end()
    let out = ''
    let said = ''
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes
    })
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes
    })
    const timer = setTimeout(() => {
      if (child.pid !== undefined) killGroup(child.pid)
      reject(
        new AppError('ssh_config', `ssh -G ${name} did not answer within ${limitMs / 1000} s.`, {
          hint: 'A command in `Match exec` of the SSH configuration probably hangs; run `ssh -G` in a terminal to see.',
        }),
      )
    }, limitMs)
    child.once('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const missing = cause.code === 'ENOENT'
      reject(
        new AppError('ssh_config', missing ? 'There is no `ssh` on the PATH.' : cause.message, {
          cause,
          ...(missing && { hint: 'Install the OpenSSH client.' }),
        }),
      )
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(out)
      else
        reject(new AppError('ssh_config', `The SSH configuration for ${name} is refused: ${firstLine(said)}`))
    })
  })
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}

function firstLine(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^Pseudo-terminal/.test(line))
  return lines[0] ?? 'it does not say why.'
}

/** `~`, `${NAME}` and the percent tokens that file names may hold. */
export function expandPath(path: string, hop: Pick<ClientConfig, 'host' | 'user' | 'port'>): string {
  const tokens: Record<string, string> = {
    '%': '%',
    d: homedir(),
    u: userInfo().username,
    h: hop.host,
    r: hop.user,
    p: String(hop.port),
  }
  return path
    .replace(/^~(?=\/|$)/, homedir())
    .replace(/\$\{(\w+)\}/g, (_, name: string) => process.env[name] ?? '')
    .replace(/%(.)/g, (whole, token: string) => tokens[token] ?? whole)
}

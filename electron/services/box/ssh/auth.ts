import { readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { AppError } from '#shared/base/errors.ts'
import type { Hop } from './resolve.ts'
import { type AnyAuthMethod, utils } from './ssh2.ts'

/** Passphrases that a person typed, by key file: in memory only, gone with the process. */
export type Passphrases = Pick<Map<string, string>, 'get'>

/** A failure that a passphrase would solve. */
export class PassphraseError extends AppError {
  readonly keyFile: string
  constructor(keyFile: string, wrong: boolean) {
    super(
      'passphrase_needed',
      wrong
        ? `That is not the passphrase of ${keyFile}.`
        : `The key ${keyFile} is protected by a passphrase.`,
    )
    this.keyFile = keyFile
  }
}

export type Login = {
  attempts: AnyAuthMethod[]
  /** What each attempt is, in words. */
  tried: string[]
  /** Why something that could have been tried was not; the first is what to say when the rest is refused. */
  obstacles: AppError[]
}

/** All ways to log in that the user's configuration allows, in the client's own order: the agent's keys, then key files. */
export async function prepareLogin(
  hop: Hop,
  env: NodeJS.ProcessEnv,
  passphrases: Passphrases,
): Promise<Login> {
  const login: Login = { attempts: [], tried: [], obstacles: [] }
  const agent = agentSocket(hop, env)
  if (agent !== null && !hop.identitiesOnly) {
    if (await answers(agent)) {
      login.attempts.push({ type: 'agent', username: hop.user, agent })
      login.tried.push(`keys of the agent at ${agent}`)
    } else {
      login.obstacles.push(new AppError('agent_dead', `The SSH agent at ${agent} does not answer.`))
    }
  }
  for (const file of hop.identityFiles) await addKeyFile(login, hop, file, passphrases)
  return login
}

export const agentSocket = (hop: Hop, env: NodeJS.ProcessEnv): string | null => {
  if (hop.agent === null) return null
  if (hop.agent === 'SSH_AUTH_SOCK') return env.SSH_AUTH_SOCK || null
  return hop.agent.startsWith('$') ? env[hop.agent.slice(1)] || null : hop.agent
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    const end = (answer: boolean) => {
      probe.destroy()
      resolve(answer)
    }
    probe.setTimeout(3_000, () => end(false))
    probe.once('connect', () => end(true))
    probe.once('error', () => end(false))
  })
}

async function addKeyFile(login: Login, hop: Hop, file: string, passphrases: Passphrases): Promise<void> {
  const found = await stat(file).catch(() => null)
  // The client's default names are tried where they exist, and their absence is no fault.
  if (!found) return
  if (process.platform !== 'win32' && found.uid === process.getuid?.() && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8)
    login.obstacles.push(
      new AppError(
        'key_permissions',
        `The key ${file} can be read by others (mode ${mode}), so it is not used.`,
        {
          hint: `Run chmod 600 ${file}.`,
        },
      ),
    )
    return
  }
  const text = await readFile(file).catch(() => null)
  if (!text) {
    login.obstacles.push(new AppError('key_unreadable', `The key ${file} cannot be read.`))
    return
  }
  const passphrase = passphrases.get(file)
  const parsed = utils.parseKey(text, passphrase)
  if (!(parsed instanceof Error)) {
    const key = Array.isArray(parsed) ? parsed[0] : parsed
    if (!key) return
    login.attempts.push({ type: 'publickey', username: hop.user, key })
    login.tried.push(`key ${file}`)
  } else if (
    /passphrase|decrypt|integrity|bad key/i.test(parsed.message) &&
    /encrypted|passphrase|integrity|decrypt/i.test(parsed.message)
  ) {
    login.obstacles.push(new PassphraseError(file, passphrase !== undefined))
  } else {
    login.obstacles.push(new AppError('key_unreadable', `The key ${file} cannot be used: ${parsed.message}.`))
  }
}

/** What to say when no way was accepted: a remedy the person has before a bare refusal. */
export function deniedError(hop: Hop, login: Login): AppError {
  const [obstacle] = login.obstacles
  const where = `${hop.user}@${hop.name}`
  if (obstacle && login.attempts.length === 0) return obstacle
  if (login.attempts.length === 0)
    return new AppError('login_denied', `There is no key to log in to ${where} with.`, {
      hint: 'Name a key with IdentityFile in the SSH configuration, or add one to the agent with ssh-add.',
    })
  const also = obstacle ? ` ${obstacle.message}` : ''
  return new AppError(
    'login_denied',
    `${hop.name} does not let ${hop.user} in; tried ${login.tried.join(', ')}.${also}`,
    obstacle ? { hint: obstacle.hint } : {},
  )
}

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/base/errors.ts'
import { parseTarget } from '#shared/ssh/client-config.ts'
import { PassphraseError } from '../auth.ts'
import { type ConnectOptions, checkHostKey } from '../connect.ts'
import type { Hop } from '../resolve.ts'
import { startProgram } from '../ssh-process.ts'
import { startAskPass } from './ask-pass.ts'
import { systemConfig } from './config.ts'
import { systemFailure } from './failures.ts'
import { type SystemRoom, startMaster } from './master.ts'
import { SystemTransport } from './system-transport.ts'

export type SystemOptions = ConnectOptions & {
  box: string
  /** Why this console cannot make the connection by itself. */
  reason: string
  /** In place of the user's own configuration, as `ssh -F`. */
  configFile: string | undefined
}

/**
 * Lets the system's own `ssh` make the connection, for what it alone can do. This console looks at every host key first, hop by hop, so that an
 * unknown or a changed one is asked about as always; `ssh` then checks it again, by the same files, before it logs in.
 * @throws {AppError} as `connectChain`.
 */
export async function connectBySystem(options: SystemOptions): Promise<SystemTransport> {
  const { hops, box, reason, onStep } = options
  const last = hops.at(-1)
  if (!last) throw new AppError('internal', 'There is no hop to connect to.')
  // Short: a socket's path may have about a hundred characters.
  const folder = await mkdtemp(join(tmpdir(), 'rs-'))
  try {
    const ask = await startAskPass(folder, options.passphrases, (prompt) => onStep?.(prompt))
    try {
      const room = await roomIn(folder, options, ask.env)
      const asked = <T>(failure: T): T | PassphraseError => {
        const wanted = ask.wanted()
        return wanted ? new PassphraseError(wanted.keyFile, wanted.wrong) : failure
      }
      await checkKeys(room, options).catch((failure: unknown) => {
        throw asked(failure)
      })
      onStep?.(`log in to ${last.name} as ${last.user}, by the system’s ssh with ${reason}`)
      const { master, said } = await startMaster(room, targetArgs(last))
      if (!master) throw asked(await systemFailure(said, last, hops.at(-2) ?? null, reason))
      return new SystemTransport(room, master, box)
    } finally {
      await ask.dispose()
    }
  } catch (failure) {
    await rm(folder, { recursive: true, force: true })
    throw failure
  }
}

async function roomIn(
  folder: string,
  { hops, hostKeys, env, configFile }: SystemOptions,
  askEnv: Record<string, string>,
): Promise<SystemRoom> {
  const users = configFile ? [configFile] : [join(homedir(), '.ssh/config'), '/etc/ssh/ssh_config']
  const path = join(folder, 'config')
  await writeFile(path, systemConfig(hops, hostKeys.own, users), { mode: 0o600 })
  return { folder, configFile: path, env: { ...env, ...askEnv } }
}

/** Every hop's key, each reached through those before it, which are logged in to by `ssh` only after theirs was found good. */
async function checkKeys(room: SystemRoom, options: SystemOptions): Promise<void> {
  const { hops, hostKeys, reason, onStep } = options
  for (const [index, hop] of hops.entries()) {
    onStep?.(`reach ${hop.name}`)
    // A host's certificate is checked by `ssh` alone: its name, its time, its authority.
    if (await hostKeys.hasAuthority(hop)) continue
    const via = hops[index - 1] ?? null
    const jump = via ? throughJump(room, via, hop) : null
    try {
      await checkHostKey(hop, jump?.sock ?? null, via, options)
    } catch (failure) {
      const said = via && (await jump?.ownEnd())
      if (!via || !said) throw failure
      throw await systemFailure(said, /open failed/.test(said) ? hop : via, via, reason)
    } finally {
      jump?.end()
    }
  }
}

/** A jump that failed by itself says why a moment after its stream broke off. */
const lastWordMs = 1_000

/** The next hop's first words, by `ssh -W` on the one before it. */
function throughJump(room: SystemRoom, via: Hop, hop: Hop) {
  const to = `${hop.host.includes(':') ? `[${hop.host}]` : hop.host}:${hop.port}`
  const child = startProgram('ssh', ['-F', room.configFile, '-W', to, ...targetArgs(via)], { env: room.env })
  let said = ''
  child.stderr.on('data', (bytes: Buffer) => {
    said = (said + bytes).slice(-8_192)
  })
  child.stdin.on('error', () => undefined)
  const failed = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(true))
    child.once('close', (code) => resolve(code !== 0 && code !== null))
  })
  return {
    sock: asDuplex(child),
    /** What it said where it failed by itself; null where it was not at fault. */
    ownEnd: async () => ((await Promise.race([failed, sleep(lastWordMs, false)])) ? said : null),
    end: () => void child.kill(),
  }
}

const asDuplex = (child: ChildProcessWithoutNullStreams): Duplex =>
  Duplex.from({ readable: child.stdout, writable: child.stdin })

function targetArgs(hop: Hop): string[] {
  const target = parseTarget(hop.name)
  if (!target) throw new AppError('internal', `${hop.name} is no target.`)
  return [
    ...(target.user === null ? [] : ['-l', target.user]),
    ...(target.port === null ? [] : ['-p', String(target.port)]),
    // Said, as the way to a jump may be another than the one of its own configuration.
    ...(hop.jumps.length === 0 ? [] : ['-J', hop.jumps.join(',')]),
    '--',
    target.host,
  ]
}

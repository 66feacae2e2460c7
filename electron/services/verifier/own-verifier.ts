import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, errorCodes } from '#shared/base/errors.ts'
import { boxEnvironment } from '../box/local-box.ts'
import { endProcess, identifyProcess, type ProcessIdentity } from '../box/process-identity.ts'
import { nodeCommand, programs } from '../core/programs.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { VerifierClient } from './client.ts'

export type OwnVerifierOptions = {
  ledger: LeaseLedger
  /** Folder for its data; a new one is made in it, and removed at the end. */
  scratch: string
  suite: string
  workers: number
  /** The run it serves; null for a preflight or a command. */
  run: string | null
  /** What a person reads in a teardown: `audit verifier`. */
  purpose: string
  /** Extra arguments of the verifier (`--repo`, `--commit`). */
  args?: string[]
  /** Yields the processor to the training run. */
  background?: boolean
  env: NodeJS.ProcessEnv
  /** Its own stderr, a line at a time. */
  onLog?: (line: string) => void
}

/** A verifier that the console starts for itself and ends itself: for a preflight, an audit, `ringside grade`. */
export type OwnVerifier = Disposable & {
  client: VerifierClient
  /** What it wants to hear with every call. */
  token: string
  /** Resolves when the process ended, by whatever cause. */
  ended: Promise<void>
}

/** How long a verifier may say nothing at all before it answers; while it compiles a workspace it says so, a line at a time. */
const readyMs = 60_000

/** @throws {AppError} what the verifier itself said where it refused to start (`bad_suite`, `python_missing` …). */
export async function startOwnVerifier(options: OwnVerifierOptions): Promise<OwnVerifier> {
  const { ledger, run, purpose } = options
  const id = `own-verifier/${randomUUID()}`
  const data = join(options.scratch, id.replace('/', '-'))
  const owner = await ownerIdentity()
  const folder = await ledger.intend({
    id: `${id}/folder`,
    run,
    kind: 'folder',
    label: `${purpose}: data ${data}`,
    identity: { path: data, ...owner },
  })
  const process_ = await ledger.intend({
    id: `${id}/process`,
    run,
    kind: 'process',
    label: purpose,
    identity: { argument: data, ...owner },
  })
  await mkdir(data, { recursive: true, mode: 0o700 })
  const token = randomBytes(32).toString('hex')
  await writeFile(join(data, 'token'), `${token}\n`, { mode: 0o600 })
  await ledger.hold(folder.id)
  const child = launch(options, data)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const identity = child.pid === undefined ? null : await identifyProcess(child.pid)
  if (identity) await ledger.hold(process_.id, identity)
  const end = once(() => giveBack(ledger, { process: process_.id, folder: folder.id }, identity, data))
  try {
    const url = await listening(child, ended, options.onLog)
    if (options.background && identity) lowerPriority(identity.pid)
    return { client: new VerifierClient(url, token), token, ended, dispose: end }
  } catch (failure) {
    await end()
    throw failure
  }
}

/** Who holds it: a later console gives back what its dead owner could not. */
export async function ownerIdentity(): Promise<{ ownerPid: number; ownerStartedAt: string }> {
  const self = await identifyProcess(process.pid)
  return { ownerPid: process.pid, ownerStartedAt: self?.startedAt ?? 'unknown' }
}

function launch(options: OwnVerifierOptions, data: string): ChildProcess {
  const { command, env } = nodeCommand()
  const args = [
    ...['--suite', options.suite, '--data', data, '--port', '0', '--workers', String(options.workers)],
    ...['--token-file', join(data, 'token')],
  ]
  return spawn(command, [programs.verifier, ...args, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...boxEnvironment(options.env), ...env },
  })
}

/** Waits for the address on stdout. A verifier that ends first said why on stderr. */
async function listening(
  child: ChildProcess,
  ended: Promise<void>,
  onLog?: (line: string) => void,
): Promise<string> {
  const said: string[] = []
  const errors = child.stderr && createInterface({ input: child.stderr })
  let lastWordAt = Date.now()
  errors?.on('line', (line) => {
    lastWordAt = Date.now()
    said.push(line)
    if (said.length > 50) said.shift()
    onLog?.(line)
  })
  const output = child.stdout && createInterface({ input: child.stdout })
  const address = new Promise<string>((resolve) => {
    output?.on('line', (line) => {
      const url = /"url":"([^"]+)"/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    const look = () => {
      const leftMs = lastWordAt + readyMs - Date.now()
      if (leftMs > 0) timer = setTimeout(look, leftMs)
      else resolve('late')
    }
    look()
  })
  const first = await Promise.race([address, ended.then(() => 'ended' as const), late])
  clearTimeout(timer)
  if (first === 'late')
    throw new AppError(
      'timed_out',
      `The verifier has neither answered nor said anything for ${readyMs / 1000} s.`,
    )
  if (first !== 'ended') return first
  // Its last words may still be on their way through the pipe.
  await new Promise((resolve) => setTimeout(resolve, 50))
  throw startFailure(said, child.exitCode, 'The verifier')
}

/** Its last line is an error in words, the hint at its end: by that hint the error is known again, code and all. */
export function startFailure(said: string[], exitCode: number | null, who: string): AppError {
  const words = said.findLast((line) => line.trim() !== '')?.trim() ?? ''
  for (const code of errorCodes) {
    const { hint } = new AppError(code, '')
    if (words.endsWith(hint)) return new AppError(code, words.slice(0, -hint.length).trim(), { hint })
  }
  const message = `${who} did not start: ${words || `it ended with code ${exitCode ?? 'unknown'} and said nothing`}`
  return new AppError(exitCode === 2 ? 'bad_input' : 'unresolved', message)
}

async function giveBack(
  ledger: LeaseLedger,
  leases: { process: string; folder: string },
  identity: ProcessIdentity | null,
  data: string,
): Promise<void> {
  const gone = identity === null || (await endProcess(identity, { group: false, graceMs: 5_000 }))
  if (!gone) {
    await ledger.leave(leases.process, `process ${identity.pid} could not be ended`)
    await ledger.leave(leases.folder, 'its process still lives')
    return
  }
  await ledger.release(
    leases.process,
    identity ? `no process ${identity.pid} with that start` : 'never started',
  )
  await rm(data, { recursive: true, force: true })
  await ledger.release(leases.folder, `no folder ${data}`)
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // A courtesy to the training run, nothing depends on it.
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}

import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFile, cp, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import { nodeCommand, programs } from '../core/programs.ts'
import { findPython } from '../runs/preflight/checks.ts'
import { sourceArguments } from '../runs/suite-source.ts'
import { localFiles } from '../telemetry/local-files.ts'
import { writeAtomic } from './atomic-write.ts'
import type { BoxFiles } from './files.ts'
import { findByArgument, identifyProcess, type ProcessIdentity } from './process-identity.ts'
import type { BoxCommands, LeaseIntent, RunBox } from './run-box.ts'
import { execScript } from './shell-words.ts'
import { BoxStatus } from './supervision.ts'
import { tokenFile, trainerWords } from './trainer-words.ts'

const run = promisify(execFile)

/** After the trainer ended and with no console asking, the verifier is kept this long for one to come back and collect the evidence. */
const idleSeconds = 30 * 60

export type LocalBoxOptions = {
  /** Folder that holds one folder a run. */
  root: string
  /** Path of supervise.sh. */
  supervisor: string
  env: NodeJS.ProcessEnv
  idleSeconds?: number
}

/** This machine as a box: run folders, each under a supervisor in a session of its own, which outlives the console. */
export class LocalBox implements RunBox {
  private readonly options: LocalBoxOptions

  constructor(options: LocalBoxOptions) {
    this.options = options
  }

  folder(runId: string): string {
    return join(this.options.root, runId)
  }

  files(runId: string): BoxFiles {
    return localFiles(this.folder(runId))
  }

  leases(run: string): LeaseIntent[] {
    const folder = this.folder(run)
    return [
      { id: `${run}/folder`, kind: 'folder', label: `box folder ${folder}`, identity: { path: folder } },
      {
        id: `${run}/processes`,
        kind: 'process',
        label: 'supervisor, trainer and verifier',
        identity: { argument: folder },
      },
      { id: `${run}/port`, kind: 'port', label: 'verifier’s port on 127.0.0.1' },
    ]
  }

  async commands(spec: RunSpec): Promise<BoxCommands> {
    const folder = this.folder(spec.run)
    const { command, env } = nodeCommand()
    return {
      env,
      verifier: verifierCommand(spec, folder),
      trainer: trainerWords(await this.trainerProgram(spec, command), spec.trainer, folder),
    }
  }

  /** @throws {AppError} `python_missing` where a pipeline needs an interpreter and there is none. */
  private async trainerProgram({ trainer }: RunSpec, node: string): Promise<string[]> {
    if (trainer.kind === 'sketch') return [node, programs.sketchTrainer]
    if (trainer.kind === 'command') return ['sh', programs.command]
    const python = trainer.python ?? (await findPython(this.options.env))?.path
    if (python === undefined) throw new AppError('python_missing', 'The pipeline’s trainer needs Python.')
    return [python, '-B', programs.trainer, ...(trainer.backend === 'stand_in' ? ['--stand-in'] : [])]
  }

  /** Lays out the run's folder: the frozen spec, what to start, and the supervisor itself, so that an update of the app cannot change it under a run. */
  async prepare(runId: string, spec: string, commands: BoxCommands): Promise<void> {
    const folder = this.folder(runId)
    const state = join(folder, 'supervisor')
    await mkdir(state, { recursive: true, mode: 0o700 })
    await mkdir(join(folder, 'verifier'), { recursive: true, mode: 0o700 })
    await copyFile(this.options.supervisor, join(state, 'supervise.sh'))
    await writeFile(join(folder, tokenFile), `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    await writeFile(join(state, 'verifier.sh'), execScript(commands.verifier, commands.env))
    await writeFile(join(state, 'trainer.sh'), execScript(commands.trainer, commands.env))
    await writeAtomic(join(folder, 'spec.json'), spec)
    await this.control(runId, 'run')
  }

  /** Starts the supervisor in a session of its own. Starting twice starts once. */
  async start(runId: string, verb: 'run' | 'collect' = 'run'): Promise<{ pid: number; startedAt?: string }> {
    const folder = this.folder(runId)
    await this.sayHere(runId)
    const log = await open(join(folder, 'supervisor.log'), 'a', 0o600)
    try {
      const idle = String(this.options.idleSeconds ?? idleSeconds)
      const child = spawn('sh', [this.script(runId), verb, folder, idle], {
        cwd: folder,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: boxEnvironment(this.options.env),
      })
      const pid = await new Promise<number>((resolve, reject) => {
        child.once('error', reject)
        child.once('spawn', () => {
          // Never a made-up number: to the system, 0 means the console's own family.
          if (child.pid === undefined)
            reject(new AppError('internal', 'The supervisor started without a number.'))
          else resolve(child.pid)
        })
      })
      child.unref()
      return (await identifyProcess(pid)) ?? { pid }
    } finally {
      await log.close()
    }
  }

  /** @throws {AppError} `not_found` where the run has no folder here, `unresolved` where the script says something unreadable. */
  async status(runId: string): Promise<BoxStatus> {
    const { stdout } = await this.supervise(runId, 'status')
    try {
      return BoxStatus.parse(JSON.parse(stdout))
    } catch (cause) {
      throw new AppError('unresolved', `The supervisor of ${runId} says ${JSON.stringify(stdout.trim())}.`, {
        cause,
      })
    }
  }

  /** Ends the trainer and all that it started; the verifier stays. */
  async abort(runId: string, graceSeconds = 5): Promise<void> {
    await this.supervise(runId, 'abort', String(graceSeconds))
  }

  /** Ends everything of the run on this box. */
  async stop(runId: string, graceSeconds = 5): Promise<void> {
    await this.supervise(runId, 'stop', String(graceSeconds))
  }

  /** What the trainer is to do; it looks between steps and while it is blocked. */
  control(runId: string, want: 'run' | 'stop_after_step' | 'abort'): Promise<void> {
    return writeAtomic(join(this.folder(runId), 'control.json'), `${JSON.stringify({ want })}\n`)
  }

  /** Tells the supervisor that a console is there, so that it keeps an ended run's verifier. */
  sayHere(runId: string): Promise<void> {
    return writeAtomic(
      join(this.folder(runId), 'supervisor', 'console-seen'),
      `${process.pid} ${Date.now()}\n`,
    )
  }

  /** Every living process of the run, found by its folder in their arguments: also those that nobody had time to write down. */
  async processes(runId: string): Promise<ProcessIdentity[]> {
    const folder = this.folder(runId)
    const found = await Promise.all([findByArgument(folder), findByArgument(join(folder, 'verifier'))])
    return [...new Map(found.flat().map((identity) => [identity.pid, identity])).values()]
  }

  async verifierUrl(runId: string): Promise<string | null> {
    const text = await readFile(join(this.folder(runId), 'verifier.json'), 'utf8').catch(() => '')
    return /"url":\s*"([^"]+)"/.exec(text)?.[1] ?? null
  }

  async verifierToken(runId: string): Promise<string | null> {
    const text = await readFile(join(this.folder(runId), tokenFile), 'utf8').catch(() => '')
    return text.trim() || null
  }

  async copyOut(runId: string, names: readonly string[], to: string): Promise<void> {
    for (const name of names) {
      await cp(join(this.folder(runId), name), join(to, name), { recursive: true }).catch(
        (failure: NodeJS.ErrnoException) => {
          if (failure.code !== 'ENOENT') throw failure
        },
      )
    }
  }

  /** Everything that a run needs of this machine goes on without the console. */
  attend(): Disposable {
    return { dispose: () => undefined }
  }

  private script(runId: string): string {
    return join(this.folder(runId), 'supervisor', 'supervise.sh')
  }

  private async supervise(runId: string, ...args: string[]): Promise<{ stdout: string }> {
    const folder = this.folder(runId)
    if ((await this.files(runId).stat('supervisor/supervise.sh')) === null) {
      throw new AppError('not_found', `There is no folder of ${runId} on this box.`)
    }
    const [verb = '', ...rest] = args
    return run('sh', [this.script(runId), verb, folder, ...rest], {
      env: boxEnvironment(this.options.env),
    })
  }
}

/** The supervisor adds the port: the value of the last option. @param folder the run's, on this machine. @param host that it listens at. */
export const verifierCommand = (spec: RunSpec, folder: string, host = '127.0.0.1'): string[] => [
  nodeCommand().command,
  programs.verifier,
  '--suite',
  spec.suite.path,
  '--data',
  join(folder, 'verifier'),
  '--host',
  host,
  '--workers',
  String(spec.verifier.workers * (spec.verifier.placement?.replicas ?? 1)),
  '--token-file',
  join(folder, tokenFile),
  ...(spec.verifier.placement ? remoteArguments(spec, folder) : sourceArguments(spec.suite.source)),
  '--port',
]

/** In the run's folder on this machine: where the replicas of its verifier are, where it is in a cluster. */
export const backendsFile = 'verifier-backends.json'

/** A verifier that keeps the run's grades here and has the bodies executed there. */
function remoteArguments({ run, verifier }: RunSpec, folder: string): string[] {
  if (!verifier.placement) return []
  const { commit } = verifier.placement
  const pinned = commit === null ? [] : ['--commit', commit]
  return ['--backends', join(folder, backendsFile), '--for', run, ...pinned]
}

/** What a box's processes get of the console's environment: enough to find programs and homes, nothing that changes what Node or a grader does. */
export function boxEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'LC_ALL',
    'TMPDIR',
    'TZ',
    'RINGSIDE_PYTHON',
  ]
  return Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import type { RunSpec, VerifierReach } from '#shared/domain/run.ts'
import { nodeCommand, programs } from '../../core/programs.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import type { TrainerModule } from '../../trainer/module.ts'
import type { BoxFiles } from '../files.ts'
import { type LocalBox, verifierCommand } from '../local-box.ts'
import { type ProcessIdentity, waitUntil } from '../process-identity.ts'
import type { BoxCommands, LeaseIntent, RunBox } from '../run-box.ts'
import { execScript } from '../shell-words.ts'
import { BoxStatus } from '../supervision.ts'
import { tokenFile, trainerWords } from '../trainer-words.ts'
import { boxFacts } from './facts.ts'
import { hostsFile } from './hosts-pin.ts'
import type { SshLink } from './link.ts'
import { RunMesh } from './mesh.ts'
import { pipelineProgram } from './pipeline-archive.ts'
import { sh, shOrThrow, uploadProgram, writeRemote } from './remote.ts'
import { remoteFiles } from './remote-files.ts'
import { remoteModule } from './remote-module.ts'
import { trainerBundle } from './trainer-bundle.ts'
import { RunTunnel } from './tunnel.ts'
import type { VerifierWay } from './verifier-way.ts'

export type SshBoxOptions = {
  /** The box's id among the console's boxes: part of every lease of a thing that is there. */
  id: string
  link: SshLink
  /** Folder of everything of the console's on the box, absolute. */
  root: string
  /** How runs there reach their verifier here. */
  reach: VerifierReach
  /** In place of the box's own hosts file, for a test. */
  hostsFile?: string
  /** This machine, on which the run's verifier answers. */
  local: LocalBox
  ledger: LeaseLedger
  /** Content of supervise.sh. */
  supervisor: () => Promise<Uint8Array>
  idleSeconds?: number
}

const idleSeconds = 30 * 60

/**
 * A box behind SSH: the trainer runs there under the same supervisor as here, the verifier here under another, and a reverse tunnel leads from
 * a loopback port of the box to it. What breaks the link leaves both ends running.
 */
export class SshBox implements RunBox {
  private readonly options: SshBoxOptions
  private readonly ways = new Map<string, VerifierWay>()

  constructor(options: SshBoxOptions) {
    this.options = options
  }

  folder(run: string): string {
    return `${this.options.root}/runs/${run}`
  }

  /** Of both machines: the verifier's log is here, all else is there. */
  files(run: string): BoxFiles {
    const here = this.options.local.files(run)
    const there = remoteFiles(this.options.link, this.folder(run))
    const of = (path: string) => (isVerifiers(path) ? here : there)
    return {
      stat: (path) => of(path).stat(path),
      read: (path, offset, length) => of(path).read(path, offset, length),
      onBack: (listener) => ({ dispose: this.options.link.onDidConnect(listener) }),
    }
  }

  leases(run: string): LeaseIntent[] {
    const { id: box, link, local } = this.options
    const there = this.folder(run)
    const here = local.folder(run)
    return [
      {
        id: `${run}/verifier-folder`,
        kind: 'folder',
        label: `verifier’s folder ${here}`,
        identity: { path: here },
      },
      {
        id: `${run}/verifier`,
        kind: 'process',
        label: 'verifier and its supervisor, here',
        identity: { argument: here },
      },
      { id: `${run}/port`, kind: 'port', label: 'verifier’s port on 127.0.0.1' },
      {
        id: `${run}/folder`,
        kind: 'folder',
        label: `folder ${there} on ${link.name}`,
        identity: { box, path: there },
      },
      this.wayLease(run),
      {
        id: `${run}/processes`,
        kind: 'process',
        label: `supervisor and trainer on ${link.name}`,
        identity: { box, argument: there },
      },
    ]
  }

  /** Runs modules of the pipeline's trainer there. */
  get module(): TrainerModule {
    const { link, root } = this.options
    return remoteModule(link, async () => root)
  }

  async commands(spec: RunSpec): Promise<BoxCommands> {
    const folder = this.folder(spec.run)
    return {
      env: nodeCommand().env,
      verifier: verifierCommand(spec, this.options.local.folder(spec.run), this.listensAt),
      trainer: trainerWords(await this.trainerProgram(spec), spec.trainer, folder),
    }
  }

  private async trainerProgram({ trainer }: RunSpec): Promise<string[]> {
    const { link, root } = this.options
    if (trainer.kind === 'command')
      return ['sh', await uploadProgram(link, root, 'command.sh', await readFile(programs.command))]
    const facts = await boxFacts(link)
    if (trainer.kind === 'pipeline') return pipelineProgram(this.options, trainer, facts)
    if (!facts.node)
      throw new AppError('not_found', `There is no Node on ${link.name}.`, {
        hint: 'Install Node 22.19 or later there.',
      })
    return [facts.node.path, await uploadProgram(link, root, 'sketch-trainer.mjs', await trainerBundle())]
  }

  async prepare(run: string, spec: string, commands: BoxCommands): Promise<void> {
    const { link, local, root, ledger, supervisor } = this.options
    await local.prepare(run, spec, commands)
    await ledger.hold(`${run}/verifier-folder`)
    const script = await uploadProgram(link, root, 'supervise.sh', await supervisor())
    const folder = this.folder(run)
    await shOrThrow(
      link,
      `make ${folder}`,
      'umask 077; mkdir -p "$1/supervisor" && cp "$2" "$1/supervisor/supervise.sh"',
      [folder, script],
    )
    await writeRemote(
      link,
      `${folder}/supervisor/trainer.sh`,
      execScript(commands.trainer, { RINGSIDE_RUN_FOLDER: folder }),
    )
    await writeRemote(link, `${folder}/${tokenFile}`, `${await local.verifierToken(run)}\n`)
    await writeRemote(link, `${folder}/spec.json`, spec)
    await this.control(run, 'run')
  }

  async start(run: string, verb: 'run' | 'collect' = 'run'): Promise<{ pid: number; startedAt?: string }> {
    const { local, ledger } = this.options
    const verifier = await local.start(run, 'collect')
    await ledger.hold(`${run}/verifier`, verifier)
    if (verb === 'collect') return verifier
    await waitUntil(
      async () => (await this.verifierUrl(run)) !== null || (await this.verifierGaveUp(run)),
      startMs,
    )
    if ((await this.verifierUrl(run)) === null)
      throw new AppError('unreachable', 'The run’s verifier did not start on this machine; see its log.')
    await this.way(run).open()
    return this.startTrainer(run)
  }

  async status(run: string): Promise<BoxStatus> {
    const { local, link } = this.options
    const there = parseStatus(await this.supervise(run, 'status'), link.name, run)
    const here = await local.status(run).catch(() => null)
    return here ? { ...there, verifier: here.verifier, verifierExits: here.verifierExits } : there
  }

  async abort(run: string, graceSeconds = 5): Promise<void> {
    await this.supervise(run, 'abort', String(graceSeconds))
  }

  async stop(run: string, graceSeconds = 5): Promise<void> {
    await this.supervise(run, 'stop', String(graceSeconds))
    await this.options.local.stop(run, graceSeconds).catch(() => undefined)
  }

  control(run: string, want: 'run' | 'stop_after_step' | 'abort'): Promise<void> {
    return writeRemote(this.options.link, `${this.folder(run)}/control.json`, `${JSON.stringify({ want })}\n`)
  }

  async sayHere(run: string): Promise<void> {
    await this.options.local.sayHere(run)
    await writeRemote(
      this.options.link,
      `${this.folder(run)}/supervisor/console-seen`,
      `${process.pid} ${Date.now()}\n`,
    )
  }

  /** On the box; those of the verifier here have leases of their own. */
  async processes(run: string): Promise<ProcessIdentity[]> {
    return parseProcesses(await this.supervise(run, 'processes').catch(nothingThere))
  }

  verifierUrl(run: string): Promise<string | null> {
    return this.options.local.verifierUrl(run)
  }

  verifierToken(run: string): Promise<string | null> {
    return this.options.local.verifierToken(run)
  }

  async copyOut(run: string, names: readonly string[], to: string): Promise<void> {
    const { local } = this.options
    await local.copyOut(run, names.filter(isVerifiers), to)
    const files = remoteFiles(this.options.link, this.folder(run))
    for (const name of await this.filesBelow(
      run,
      names.filter((one) => !isVerifiers(one)),
    )) {
      const found = await files.stat(name)
      if (!found) continue
      await mkdir(dirname(join(to, name)), { recursive: true, mode: 0o700 })
      await writeFile(join(to, name), await files.read(name, 0, found.sizeBytes))
    }
  }

  /** Keeps the tunnel up over every new connection, and the verifier alive. */
  attend(run: string): Disposable {
    const way = this.way(run)
    void this.options.local.start(run, 'collect').catch(() => undefined)
    way.keepUp()
    return {
      dispose: async () => {
        await way.dispose()
        this.ways.delete(run)
      },
    }
  }

  private way(run: string): VerifierWay {
    const { id: box, link, ledger, local, reach, hostsFile: file = hostsFile } = this.options
    const known = this.ways.get(run)
    if (known) return known
    const target = async () => {
      const url = await local.verifierUrl(run)
      return url === null ? null : Number(new URL(url).port)
    }
    const common = { link, ledger, lease: this.wayLease(run).id, folder: this.folder(run), target }
    const made =
      reach.kind === 'tunnel'
        ? new RunTunnel(common)
        : new RunMesh({ ...common, run, box, name: reach.name, address: reach.address, hostsFile: file })
    this.ways.set(run, made)
    return made
  }

  private wayLease(run: string): LeaseIntent {
    const { id: box, link, reach, hostsFile: file = hostsFile } = this.options
    if (reach.kind === 'tunnel')
      return {
        id: `${run}/tunnel`,
        kind: 'tunnel',
        label: `tunnel from ${link.name} to the verifier here`,
        identity: { box, path: this.folder(run) },
      }
    const { name, address } = reach
    return {
      id: `${run}/pin`,
      kind: 'hosts_pin',
      label: `${name} → ${address} in ${file} of ${link.name}`,
      identity: { box, file, name, address },
    }
  }

  private get listensAt(): string | undefined {
    const { reach } = this.options
    return reach.kind === 'mesh' ? reach.address : undefined
  }

  private async startTrainer(run: string): Promise<{ pid: number; startedAt?: string }> {
    const { link } = this.options
    const folder = this.folder(run)
    const idle = String(this.options.idleSeconds ?? idleSeconds)
    await shOrThrow(link, `start ${run}`, detached, [folder, idle])
    let found: BoxStatus | null = null
    await waitUntil(async () => {
      found = await this.status(run)
      return found.supervisor.state !== 'never'
    }, 10_000)
    const supervisor = (found as BoxStatus | null)?.supervisor
    if (!supervisor?.pid)
      throw new AppError(
        'unresolved',
        `The supervisor did not start on ${link.name}; see ${folder}/supervisor.log.`,
      )
    return { pid: supervisor.pid, ...(supervisor.startedAt !== null && { startedAt: supervisor.startedAt }) }
  }

  private async verifierGaveUp(run: string): Promise<boolean> {
    return (await this.options.local.status(run)).verifierExits >= 3
  }

  /** @throws {AppError} `not_found` where the run has no folder on the box. */
  private async supervise(run: string, verb: string, ...rest: string[]): Promise<string> {
    const { link } = this.options
    const { code, stdout, stderr } = await sh(link, superviseScript, [this.folder(run), verb, ...rest], {
      limitMs: 60_000,
    })
    if (code === 4) throw new AppError('not_found', `There is no folder of ${run} on ${link.name}.`)
    if (code !== 0 && verb === 'status')
      throw new AppError('unresolved', `The supervisor of ${run} on ${link.name} says: ${stderr.trim()}`)
    return stdout.toString()
  }

  private async filesBelow(run: string, names: string[]): Promise<string[]> {
    const script = 'cd "$1" || exit; shift; find "$@" -type f 2> /dev/null; exit 0'
    const { stdout } = await sh(this.options.link, script, [this.folder(run), ...names])
    return stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '')
  }
}

const startMs = 60_000

/** The verifier runs here, and so does what follows its pods. */
const isVerifiers = (path: string) => ['verifier.log', 'pods.log', 'supervisor/verifier.exits'].includes(path)

const superviseScript =
  '[ -f "$1/supervisor/supervise.sh" ] || exit 4; dir=$1; verb=$2; shift 2; exec sh "$dir/supervisor/supervise.sh" "$verb" "$dir" "$@"'

/** In a session of its own where the box can do that; else the supervisor is deaf to the hang-up, which is all that a logout sends. */
const detached = [
  'umask 077; cd "$1" || exit 1; ',
  'if command -v setsid > /dev/null 2>&1; then set -- "$1" "$2" setsid; else set -- "$1" "$2" nohup; fi; ',
  '"$3" sh "$1/supervisor/supervise.sh" train "$1" "$2" >> "$1/supervisor.log" 2>&1 < /dev/null & ',
].join('')

function parseStatus(text: string, box: string, run: string): BoxStatus {
  try {
    return BoxStatus.parse(JSON.parse(text))
  } catch (cause) {
    throw new AppError(
      'unresolved',
      `The supervisor of ${run} on ${box} says ${JSON.stringify(text.trim())}.`,
      { cause },
    )
  }
}

export const parseProcesses = (text: string): ProcessIdentity[] =>
  text.split('\n').flatMap((line) => {
    const match = /^(\d+) (\S.*)$/.exec(line)
    return match ? [{ pid: Number(match[1]), startedAt: match[2] ?? '' }] : []
  })

function nothingThere(failure: unknown): string {
  if (failure instanceof AppError && failure.code === 'not_found') return ''
  throw failure
}

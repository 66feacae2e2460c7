import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { RunBoxSpec, type RunSpec } from '#shared/domain/run.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import type { TrainerModule } from '../trainer/module.ts'
import type { BoxFiles } from './files.ts'
import type { LocalBox } from './local-box.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { BoxCommands, LeaseIntent, RunBox } from './run-box.ts'
import type { Boxes } from './ssh/boxes.ts'
import { SshBox } from './ssh/ssh-box.ts'
import type { BoxStatus } from './supervision.ts'

export type RoutedBoxOptions = {
  local: LocalBox
  boxes: Boxes
  ledger: LeaseLedger
  /** Folder with one folder a run, each with its frozen spec. */
  runsDir: string
  supervisor: () => Promise<Uint8Array>
  idleSeconds?: number
}

/** Sends everything about a run to the machine that its frozen spec names. */
export class RoutedBox implements RunBox {
  private readonly options: RoutedBoxOptions
  private readonly byRun = new Map<string, RunBox>()
  private readonly byPlace = new Map<string, SshBox>()

  constructor(options: RoutedBoxOptions) {
    this.options = options
  }

  /** Makes known where a run is to be, before its spec is on the disk. */
  place(run: string, where: RunBoxSpec): RunBox {
    const box = where.kind === 'local' ? this.options.local : this.remote(where)
    this.byRun.set(run, box)
    return box
  }

  /** Whether the run is on this very machine: then asking costs nothing and never waits for a network. */
  isHere(run: string): boolean {
    return this.of(run) === this.options.local
  }

  /** What runs modules of the pipeline's trainer where the run is; null where that is this machine. */
  remoteModule(run: string): TrainerModule | null {
    const box = this.of(run)
    return box instanceof SshBox ? box.module : null
  }

  folder(run: string): string {
    return this.of(run).folder(run)
  }
  files(run: string): BoxFiles {
    return this.of(run).files(run)
  }
  leases(run: string): LeaseIntent[] {
    return this.of(run).leases(run)
  }
  commands(spec: RunSpec): Promise<BoxCommands> {
    return this.of(spec.run).commands(spec)
  }
  prepare(run: string, spec: string, commands: BoxCommands): Promise<void> {
    return this.of(run).prepare(run, spec, commands)
  }
  start(run: string, verb?: 'run' | 'collect'): Promise<{ pid: number; startedAt?: string }> {
    return this.of(run).start(run, verb)
  }
  status(run: string): Promise<BoxStatus> {
    return this.of(run).status(run)
  }
  abort(run: string, graceSeconds?: number): Promise<void> {
    return this.of(run).abort(run, graceSeconds)
  }
  stop(run: string, graceSeconds?: number): Promise<void> {
    return this.of(run).stop(run, graceSeconds)
  }
  control(run: string, want: 'run' | 'stop_after_step' | 'abort'): Promise<void> {
    return this.of(run).control(run, want)
  }
  sayHere(run: string): Promise<void> {
    return this.of(run).sayHere(run)
  }
  processes(run: string): Promise<ProcessIdentity[]> {
    return this.of(run).processes(run)
  }
  verifierUrl(run: string): Promise<string | null> {
    return this.of(run).verifierUrl(run)
  }
  verifierToken(run: string): Promise<string | null> {
    return this.of(run).verifierToken(run)
  }
  copyOut(run: string, names: readonly string[], to: string): Promise<void> {
    return this.of(run).copyOut(run, names, to)
  }
  attend(run: string): Disposable {
    return this.of(run).attend(run)
  }

  private of(run: string): RunBox {
    const known = this.byRun.get(run)
    if (known) return known
    const where = this.specOf(run)
    return where === null ? this.options.local : this.place(run, where)
  }

  /** A run without a readable spec has nothing on another machine: its launch writes the spec first. */
  private specOf(run: string): RunBoxSpec | null {
    try {
      const text = readFileSync(join(this.options.runsDir, run, 'spec.json'), 'utf8')
      return RunBoxSpec.parse((JSON.parse(text) as { box: unknown }).box)
    } catch {
      return null
    }
  }

  private remote({ box, root, reach }: Extract<RunBoxSpec, { kind: 'ssh' }>): SshBox {
    const key = JSON.stringify([box, root, reach])
    const known = this.byPlace.get(key)
    if (known) return known
    const { local, boxes, ledger, supervisor, idleSeconds } = this.options
    const made = new SshBox({
      id: box,
      link: boxes.link(box),
      root,
      reach,
      local,
      ledger,
      supervisor,
      ...(idleSeconds !== undefined && { idleSeconds }),
    })
    this.byPlace.set(key, made)
    return made
  }
}

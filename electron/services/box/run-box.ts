import type { Disposable } from '#shared/base/disposable.ts'
import type { Lease } from '#shared/domain/lease.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { BoxFiles } from './files.ts'
import type { ProcessIdentity } from './process-identity.ts'
import type { BoxStatus } from './supervision.ts'

/** What the supervisor of a run is to start. `verifier` is called with the port as its last argument, `trainer` with the verifier's URL. */
export type BoxCommands = { verifier: string[]; trainer: string[]; env: Record<string, string> }

/** A lease before its thing exists. */
export type LeaseIntent = Pick<Lease, 'id' | 'kind' | 'label'> & { identity?: Lease['identity'] }

/**
 * A machine on which runs train, as everything above sees it. Each method means the same on this machine and behind SSH; there it may throw
 * `unreachable`, and then nothing is known of what became of the request.
 */
export type RunBox = {
  /** The run's folder on the box. */
  folder(run: string): string
  files(run: string): BoxFiles
  /** Everything that a run will take, in the order in which it is taken. Ids are `<run>/<name>`; `folder`, `processes` and `port` are always there. */
  leases(run: string): LeaseIntent[]
  commands(spec: RunSpec): Promise<BoxCommands>
  /** Lays out the run's folder, without starting anything. @param spec its text, frozen. */
  prepare(run: string, spec: string, commands: BoxCommands): Promise<void>
  /** Starting twice starts once. `collect` starts the verifier alone. @returns who was started. */
  start(run: string, verb?: 'run' | 'collect'): Promise<{ pid: number; startedAt?: string }>
  status(run: string): Promise<BoxStatus>
  /** Ends the trainer and all that it started; the verifier stays. */
  abort(run: string, graceSeconds?: number): Promise<void>
  /** Ends everything of the run. */
  stop(run: string, graceSeconds?: number): Promise<void>
  control(run: string, want: 'run' | 'stop_after_step' | 'abort'): Promise<void>
  /** Tells the supervisor that a console is there, so that it keeps an ended run's verifier. */
  sayHere(run: string): Promise<void>
  processes(run: string): Promise<ProcessIdentity[]>
  /** Where the run's verifier answers this console; null before it ever did. */
  verifierUrl(run: string): Promise<string | null>
  /** What its verifier wants to hear with every call; null for a run that was launched before verifiers had one. */
  verifierToken(run: string): Promise<string | null>
  /** Copies files and folders of the run's folder into `to`; what is not there is left out. */
  copyOut(run: string, names: readonly string[], to: string): Promise<void>
  /** Keeps up what a run needs of this console while it is open (a tunnel), until disposed of. */
  attend(run: string): Disposable
}

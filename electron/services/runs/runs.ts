import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { TeardownReport } from '#shared/domain/lease.ts'
import { RunSpec } from '#shared/domain/run.ts'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { BridgeEvents, EventName } from '#shared/ipc/contract.ts'
import type { AuditService } from '../audit/audit.ts'
import type { RoutedBox } from '../box/routed-box.ts'
import { whyEnded } from '../box/supervision.ts'
import type { ClusterVerifiers } from '../kube/verifiers.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import type { RemoteLeases } from '../leases/release.ts'
import type { Store } from '../store/store.ts'
import { VerifierClient } from '../verifier/client.ts'
import { runLeases } from './run-leases.ts'
import { abortRun, planTeardown, type TeardownContext, tearDown } from './teardown.ts'
import { RunWatch } from './watch.ts'

export type RunsDeps = {
  home: string
  runsDir: string
  box: RoutedBox
  remote: RemoteLeases
  ledger: LeaseLedger
  now: () => Date
  emit: <E extends EventName>(name: E, payload: BridgeEvents[E]) => void
  /** What went wrong where nobody waits for an answer; one line for a person. */
  onTrouble?: (run: string, text: string) => void
}

/** A run that ended without its trainer saying so. */
export type Interruption = { at: string; reason: string }

/** The runs of a console: attached to where they still go, taken down in one way. The store and the audit are set once they are there. */
export class Runs implements Disposable {
  private readonly deps: RunsDeps
  private readonly watches = new Map<string, RunWatch>()
  private readonly follows = new Map<string, Disposable>()
  private readonly interruptions = new Map<string, Interruption>()
  private readonly specs = new Map<string, RunSpec>()
  private parts: { store: Store; audit: AuditService; verifiers: ClusterVerifiers } | null = null

  constructor(deps: RunsDeps) {
    this.deps = deps
  }

  connect(store: Store, audit: AuditService, verifiers: ClusterVerifiers): void {
    this.parts = { store, audit, verifiers }
    store.onDidAdvance(({ run, seq }) => {
      this.deps.emit('run.advanced', { run, seq })
      audit.nudge(run)
    })
  }

  /** Takes up every run whose box folder is still held: those going on, and those with evidence to fetch. */
  async attachAll(): Promise<void> {
    for (const run of this.store.runs()) {
      await this.recallInterruption(run)
      if (!this.holdsBox(run)) continue
      // Another machine is not waited for: its run is followed, and what it says comes when it comes.
      if (this.deps.box.isHere(run)) await this.takeUp(run)
      else void this.takeUp(run).catch(() => this.attach(run))
    }
  }

  private async takeUp(run: string): Promise<void> {
    if ((await this.deps.box.files(run).stat('supervisor/boot')) !== null) this.attach(run)
    else await this.trainerGone(run, 'The launch was cut short before the run began.')
  }

  /** Follows the run's journal, box and verifier, and audits it. */
  attach(run: string): void {
    if (this.watches.has(run)) return
    const { box, emit } = this.deps
    this.follows.set(run, both(this.store.follow(run), box.attend(run)))
    const watch = new RunWatch(box, run, {
      onTrainerGone: (status) => this.aside(run, this.trainerGone(run, whyEnded(status))),
      onVerifier: (url) => this.aside(run, this.verifierMoved(run, url)),
      onLog: (stream, size) => emit('log.advanced', { run, stream, size }),
    })
    this.watches.set(run, watch)
    this.aside(run, this.audit.follow(run))
    this.aside(run, this.attendVerifier(run))
    emit('runs.changed', {})
  }

  async detach(run: string): Promise<void> {
    const watch = this.watches.get(run)
    const follow = this.follows.get(run)
    this.watches.delete(run)
    this.follows.delete(run)
    await watch?.dispose()
    await follow?.dispose()
    await this.parts?.verifiers.detach(run)
  }

  verifierHealth(run: string): VerifierHealth | null {
    return this.watches.get(run)?.seen.health ?? null
  }

  trainerAlive(run: string): boolean | null {
    const watch = this.watches.get(run)
    return watch ? watch.seen.trainerAlive : this.holdsBox(run) ? null : false
  }

  interruption(run: string): Interruption | null {
    return this.interruptions.get(run) ?? null
  }

  /** From the run's own verifier, by whatever address it has now; null where it does not answer or does not have it. */
  async fetchEvidence(run: string, sha256: string): Promise<Uint8Array | null> {
    const url = this.watches.get(run)?.seen.verifierUrl
    if (!url) return null
    const token = await this.deps.box.verifierToken(run)
    return new VerifierClient(url, token).evidence(sha256).catch(() => null)
  }

  async spec(run: string): Promise<RunSpec | null> {
    const known = this.specs.get(run)
    if (known) return known
    const text = await readFile(join(this.deps.runsDir, run, 'spec.json'), 'utf8').catch(() => null)
    if (text === null) return null
    const spec = RunSpec.safeParse(JSON.parse(text))
    if (!spec.success)
      throw new AppError('corrupt', `The spec of ${run} does not fit: ${spec.error.issues[0]?.message}.`)
    this.specs.set(run, spec.data)
    return spec.data
  }

  /** @throws {AppError} `not_running` where the trainer is already gone. */
  async stop(run: string, mode: 'after_step' | 'abort'): Promise<{ requested: true }> {
    const { box } = this.deps
    await this.watches.get(run)?.look()
    if (this.trainerAlive(run) === false)
      throw new AppError('not_running', `The trainer of ${run} is not running.`)
    if (mode === 'after_step') await box.control(run, 'stop_after_step')
    else
      this.aside(
        run,
        abortRun(box, run).then(() => this.watches.get(run)?.look()),
      )
    return { requested: true }
  }

  planTeardown(run: string): Promise<TeardownReport> {
    return planTeardown(this.teardownContext(), run)
  }

  async tearDown(run: string, confirm: readonly string[]): Promise<TeardownReport> {
    const report = await tearDown(this.teardownContext(), run, confirm)
    if (!this.holdsBox(run)) {
      await this.detach(run)
      if (this.store.summary(run).phase !== 'finished' && !this.interruptions.has(run)) {
        await this.interrupt(run, 'The run was taken down before it finished.')
      }
    }
    this.deps.emit('runs.changed', {})
    return report
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.watches.keys()].map((run) => this.detach(run)))
  }

  /** Work that nobody waits for: its failure is told, never thrown into the void, which would end the console. */
  private aside(run: string, work: Promise<unknown>): void {
    work.catch((failure: unknown) => {
      const { message, hint } = toAppError(failure)
      this.deps.onTrouble?.(run, `${message} ${hint}`)
    })
  }

  /** A verifier in a cluster is reached through this console, while it is open. */
  private async attendVerifier(run: string): Promise<void> {
    const spec = await this.spec(run)
    if (spec?.verifier.placement) await this.parts?.verifiers.keepAttending(spec)
  }

  private get store(): Store {
    if (!this.parts) throw new AppError('internal', 'The runs are not connected to a store yet.')
    return this.parts.store
  }

  private get audit(): AuditService {
    if (!this.parts) throw new AppError('internal', 'The runs are not connected to an audit yet.')
    return this.parts.audit
  }

  /** Whether the run still has its folder on the box. */
  holdsBox(run: string): boolean {
    return this.deps.ledger.open(run).some((lease) => lease.id === runLeases(run).folder)
  }

  /** Runs that are followed on this box and have not ended. */
  goingOn(box: string): string[] {
    const { ledger } = this.deps
    return [...this.watches.keys()].filter(
      (run) =>
        ledger.open(run).some((lease) => lease.identity.box === box) &&
        ['running', 'blocked'].includes(this.store.summary(run).phase),
    )
  }

  private teardownContext(): TeardownContext {
    const { home, runsDir, box, remote, ledger, now, emit } = this.deps
    return {
      home,
      runsDir,
      box,
      remote,
      ledger,
      now,
      store: this.store,
      quiesce: async (run) => {
        await this.audit.stop(run)
        await this.parts?.verifiers.detach(run)
      },
      onRow: (row) => emit('teardown.row', row),
    }
  }

  /** Its last events may still be unread: only a journal read to its end without `run.finished` means that it was interrupted. */
  private async trainerGone(run: string, reason: string): Promise<void> {
    try {
      await this.store.catchUp(run)
    } catch {
      return
    }
    if (this.store.summary(run).phase === 'finished' || this.interruptions.has(run)) return
    await this.interrupt(run, reason)
  }

  private async interrupt(run: string, reason: string): Promise<void> {
    const at = this.deps.now().toISOString()
    this.interruptions.set(run, { at, reason })
    await this.store.record(run, { at, type: 'interrupted', reason })
    this.deps.emit('runs.changed', {})
  }

  private async recallInterruption(run: string): Promise<void> {
    for (const record of await this.store.consoleRecords(run)) {
      if (record.type === 'interrupted') this.interruptions.set(run, { at: record.at, reason: record.reason })
    }
  }

  private async verifierMoved(run: string, url: string): Promise<void> {
    const port = Number(new URL(url).port)
    const { ledger } = this.deps
    const lease = ledger.open(run).find((one) => one.id === runLeases(run).port)
    if (lease && lease.identity.port !== port) await ledger.hold(lease.id, { host: '127.0.0.1', port })
  }
}

const both = (one: Disposable, other: Disposable): Disposable => ({
  dispose: async () => {
    await other.dispose()
    await one.dispose()
  },
})

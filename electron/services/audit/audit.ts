import { createHash } from 'node:crypto'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { AuditView, Input } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { loadSuite } from '../runs/suites.ts'
import type { BodyRow, Store } from '../store/store.ts'
import { startOwnVerifier } from '../verifier/own-verifier.ts'
import { confusionOf, isAccepted, isRight } from './confusion.ts'
import { type FalseAcceptance, mechanismsOf } from './mechanisms.ts'
import { AuditNotes } from './notes.ts'
import { AuditSession } from './session.ts'

export type AuditDeps = {
  store: Store
  ledger: LeaseLedger
  scratch: string
  env: NodeJS.ProcessEnv
  now: () => Date
  specOf: (run: string) => Promise<RunSpec | null>
  onAdvance: (run: string) => void
}

type Counts = { passed: number | null; total: number | null }
const noCounts: Counts = { passed: null, total: null }

/** Regrades what the run's verifier graded, by a suite that training never sees, and says where the two disagree. */
export class AuditService implements Disposable {
  private readonly deps: AuditDeps
  private readonly opening = new Map<string, Promise<AuditSession | null>>()
  private readonly sessions = new Map<string, AuditSession>()
  private readonly counts = new Map<string, Counts>()
  private readonly cases = new Map<string, Promise<ReadonlyMap<string, Case>>>()
  private readonly notes = new Map<string, Promise<AuditNotes>>()

  constructor(deps: AuditDeps) {
    this.deps = deps
  }

  /** Audits the run as it advances; does nothing where it has no audit suite. */
  follow(run: string): Promise<AuditSession | null> {
    const known = this.opening.get(run)
    if (known) return known
    const opening = this.open(run)
    this.opening.set(run, opening)
    return opening
  }

  private async open(run: string): Promise<AuditSession | null> {
    const spec = await this.deps.specOf(run)
    if (!spec?.audit) return null
    const suite = spec.audit.path
    const { store, ledger, scratch, env, now, onAdvance } = this.deps
    const session = new AuditSession({
      run,
      store,
      now,
      onAdvance: () => onAdvance(run),
      startVerifier: () =>
        startOwnVerifier({
          ledger,
          scratch,
          env,
          suite,
          run,
          workers: 2,
          purpose: 'audit verifier',
          background: true,
        }),
    })
    this.sessions.set(run, session)
    session.nudge()
    return session
  }

  /** The run has something new. */
  nudge(run: string): void {
    this.sessions.get(run)?.nudge()
  }

  /** On demand: also the bodies that training rejected. @throws {AppError} `bad_input` where the run has no audit suite. */
  async start(run: string): Promise<{ started: boolean }> {
    const session = await this.follow(run)
    if (!session) throw new AppError('bad_input', `${run} was launched without an audit suite.`)
    session.coverEverything()
    return { started: true }
  }

  /** Grades what can be graded now, to its end. */
  async finish(run: string): Promise<void> {
    await (await this.follow(run))?.finish()
  }

  /** Ends the run's audit and gives its verifier back. */
  async stop(run: string): Promise<void> {
    // One that is only being opened must not come to life after it was stopped.
    const session = await this.opening.get(run)?.catch(() => null)
    this.opening.delete(run)
    this.sessions.delete(run)
    await session?.dispose()
  }

  async recordVerdict(input: Input<'audit.verdict'>): Promise<{ recorded: true }> {
    const { run, bodySha256, verdict, note } = input
    const at = this.deps.now().toISOString()
    await this.deps.store.record(run, { at, type: 'verdict', bodySha256, verdict, note })
    this.deps.onAdvance(run)
    return { recorded: true }
  }

  /** The same as `recordVerdict` of many bodies, with one write: all of them are kept, or none. */
  async recordVerdicts({ run, verdicts }: Input<'audit.verdicts'>): Promise<{ recorded: number }> {
    const at = this.deps.now().toISOString()
    await this.deps.store.recordAll(
      run,
      verdicts.map((one) => ({ at, type: 'verdict', ...one })),
    )
    this.deps.onAdvance(run)
    return { recorded: verdicts.length }
  }

  /** Keeps what was found out about a mechanism or made of it. */
  async note(run: string, record: ConsoleRecord): Promise<void> {
    const notes = await this.notesOf(run)
    await this.deps.store.record(run, record)
    notes.add(record)
    this.deps.onAdvance(run)
  }

  /** Read once: grades fill the file, notes are few and only written here. */
  private notesOf(run: string): Promise<AuditNotes> {
    const known = this.notes.get(run)
    if (known) return known
    const loading = this.deps.store.consoleRecords(run).then((records) => new AuditNotes(records))
    this.notes.set(run, loading)
    loading.catch(() => this.notes.delete(run))
    return loading
  }

  /** @throws {AppError} `not_found` where there is no such run. */
  async view(run: string): Promise<AuditView> {
    const spec = await this.deps.specOf(run)
    if (!spec) throw new AppError('not_found', `There is no run ${run}.`)
    const bodies = this.deps.store.bodies(run)
    const audited = bodies.filter((body) => body.audit !== null)
    const draws = (rows: BodyRow[]) => rows.reduce((sum, body) => sum + body.rollouts, 0)
    const session = this.sessions.get(run)
    const notes = await this.notesOf(run)
    const none = !spec.audit || (audited.length === 0 && session?.state !== 'running')
    return {
      run,
      suite: spec.suite.name,
      audit: spec.audit?.name ?? null,
      state: none ? 'none' : session?.state === 'running' ? 'running' : 'done',
      bodies: draws(bodies),
      audited: draws(audited),
      unresolved: draws(audited.filter((body) => body.audit && !isGraded(body.audit.status))),
      confusion: confusionOf(bodies),
      mechanisms: mechanismsOf(
        await this.falseAcceptances(run, bodies),
        await this.casesOf(spec),
        shortHash,
        notes.mechanisms,
      ),
      scores: await this.scores(audited),
      repairs: notes.repairs,
    }
  }

  /** Mechanism names by body, for those that a verifier falsely accepted. */
  async mechanismNames(run: string): Promise<Map<string, string>> {
    const { mechanisms } = await this.view(run)
    return new Map(
      mechanisms.flatMap((one) => one.bodies.map((body) => [body.bodySha256, one.name] as const)),
    )
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.opening.keys()].map((run) => this.stop(run)))
  }

  private async falseAcceptances(run: string, bodies: BodyRow[]): Promise<FalseAcceptance[]> {
    const found: FalseAcceptance[] = []
    for (const body of bodies) {
      if (isAccepted(body) !== true || isRight(body) !== false) continue
      const grade = await this.deps.store.auditGrade(run, body.task, body.bodySha256)
      if (grade) found.push({ body, grade })
    }
    return found
  }

  private async scores(audited: BodyRow[]): Promise<AuditView['scores']> {
    const scores: AuditView['scores'] = []
    for (const body of audited) {
      const counts = await this.countsOf(body.evidenceSha256)
      scores.push({
        bodySha256: body.bodySha256,
        firstRollout: body.firstRollout,
        draws: body.rollouts,
        passed: counts.passed,
        tests: counts.total,
        auditPassed: body.audit?.passed ?? null,
        auditTotal: body.audit?.total ?? null,
      })
    }
    return scores
  }

  /** Evidence never changes under its name, so a file is read once however often the view is asked for. */
  private async countsOf(evidenceSha256: string | null): Promise<Counts> {
    const known = this.counts.get(evidenceSha256 ?? '')
    if (known || evidenceSha256 === null) return known ?? noCounts
    const evidence = await this.deps.store.evidence.read(evidenceSha256)
    if (!evidence) return noCounts
    const counts = { passed: evidence.grade.passed, total: evidence.grade.total }
    this.counts.set(evidenceSha256, counts)
    return counts
  }

  private casesOf(spec: RunSpec): Promise<ReadonlyMap<string, Case>> {
    const { audit } = spec
    if (!audit) return Promise.resolve(new Map())
    const known = this.cases.get(audit.sha256)
    if (known) return known
    const loading = loadSuite(audit.path).then(
      (suite) => new Map([...suite.cases.values()].flat().map((one) => [one.id, one] as const)),
      // Without its cases a mechanism is still a cluster; it only has no family and no witness.
      () => new Map<string, Case>(),
    )
    this.cases.set(audit.sha256, loading)
    return loading
  }
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

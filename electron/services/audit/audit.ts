import { createHash } from 'node:crypto'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { AuditView, Input, Mechanism } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import type { ProgramRow } from '../rollouts/programs.ts'
import { sourceArguments } from '../runs/suite-source.ts'
import { loadSuite } from '../runs/suites.ts'
import type { BodyRow, Store } from '../store/store.ts'
import { startOwnVerifier } from '../verifier/own-verifier.ts'
import { confusionOf } from './confusion.ts'
import { type FalseAcceptance, type FoundMechanism, mechanismsOf } from './mechanisms.ts'
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

/** Regrades what the run's verifier graded, by a suite that training never sees, and says where the two disagree. */
export class AuditService implements Disposable {
  private readonly deps: AuditDeps
  private readonly opening = new Map<string, Promise<AuditSession | null>>()
  private readonly sessions = new Map<string, AuditSession>()
  private readonly answers = new Map<string, string | null>()
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
    const { path: suite, source } = spec.audit
    const { store, ledger, scratch, env, now, onAdvance } = this.deps
    const session = new AuditSession({
      run,
      store,
      now,
      onAdvance: () => onAdvance(run),
      share: () => store.auditShare(run),
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
          args: sourceArguments(source),
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

  /**
   * On demand: a share of what training accepted, from here on and for what is there, and also what it rejected where that is asked for.
   * @throws {AppError} `bad_input` where the run has no audit suite.
   */
  async start({ run, share, rejected }: Input<'audit.start'>): Promise<{ started: boolean }> {
    const session = await this.follow(run)
    if (!session) throw new AppError('bad_input', `${run} was launched without an audit suite.`)
    if (share !== this.deps.store.auditShare(run))
      await this.deps.store.record(run, { at: this.deps.now().toISOString(), type: 'audit.sampled', share })
    if (rejected) session.coverEverything()
    else session.nudge()
    this.advanced(run)
    return { started: true }
  }

  /** Tells whoever shows the audit that something of it changed. */
  advanced(run: string): void {
    this.deps.onAdvance(run)
  }

  /**
   * Grades all that is to be graded, to its end. A body's bytes come a moment after its grade, so what is on its way is waited for a little: left out, it would
   * be missing from every rate without a word. What its box no longer has stays unaudited, and is counted as that.
   */
  async finish(run: string): Promise<void> {
    const session = await this.follow(run)
    if (!session) return
    await this.deps.store.fetchLast(run)
    await session.finish()
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
    const loading = this.deps.store
      .consoleRecords(run, ['audit.graded', 'suite.graded', 'verdict'])
      .then((records) => new AuditNotes(records))
    this.notes.set(run, loading)
    loading.catch(() => this.notes.delete(run))
    return loading
  }

  /** @throws {AppError} `not_found` where there is no such run. */
  async view(run: string): Promise<AuditView> {
    const { spec, mechanisms, notes } = await this.findings(run)
    const { store } = this.deps
    const bodies = store.bodies(run)
    const share = store.auditShare(run)
    const audited = bodies.filter((body) => body.audit !== null)
    const draws = (rows: BodyRow[]) => rows.reduce((sum, body) => sum + body.rollouts, 0)
    const session = this.sessions.get(run)
    const none = !spec.audit || (audited.length === 0 && session?.state !== 'running')
    return {
      run,
      suite: spec.suite.name,
      audit: spec.audit?.name ?? null,
      state: none ? 'none' : session?.state === 'running' ? 'running' : 'done',
      trouble: session?.trouble ?? null,
      bodies: draws(bodies),
      audited: draws(audited),
      unresolved: draws(audited.filter((body) => body.audit && !isGraded(body.audit.status))),
      share,
      confusion: confusionOf({ suite: spec.suite, bodies, share, regrades: store.regrades(run) }).map(
        ({ suite, ...table }) => ({ suite: { name: suite.name, sha256: suite.sha256 }, ...table }),
      ),
      mechanisms: await Promise.all(
        mechanisms.map(({ members: _, ...one }, i) => (i < answeredShown ? this.withAnswer(run, one) : one)),
      ),
      scores: scoresOf(audited),
      repairs: notes.repairs,
    }
  }

  /** The run's mechanisms with all of their programs, from the index alone. @throws {AppError} `not_found` */
  async findings(run: string): Promise<{ spec: RunSpec; mechanisms: FoundMechanism[]; notes: AuditNotes }> {
    const spec = await this.deps.specOf(run)
    if (!spec) throw new AppError('not_found', `There is no run ${run}.`)
    const [notes, cases] = await Promise.all([this.notesOf(run), this.casesOf(spec)])
    const wrong = this.deps.store.programs(run, 'is:false_acceptance').flatMap(falseAcceptance)
    return { spec, notes, mechanisms: mechanismsOf(wrong, cases, shortHash, notes.mechanisms) }
  }

  /** Mechanism names by body, for those that a verifier falsely accepted. */
  async mechanismNames(run: string): Promise<Map<string, string>> {
    const { mechanisms } = await this.findings(run)
    return new Map(
      mechanisms.flatMap((one) => one.members.map((body) => [body.bodySha256, one.name] as const)),
    )
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.opening.keys()].map((run) => this.stop(run)))
  }

  /** What the mechanism's example answered to its witness; grades never change, so each is read once. */
  private async withAnswer(run: string, mechanism: Mechanism): Promise<Mechanism> {
    const { witness, task, example } = mechanism
    if (!witness || witness.shrunk) return mechanism
    const key = `${run} ${task} ${example.bodySha256} ${witness.case}`
    let observed = this.answers.get(key)
    if (observed === undefined) {
      const grade = await this.deps.store.auditGrade(run, task, example.bodySha256)
      observed = grade?.tests.find((test) => test.name === witness.case)?.observed ?? null
      this.answers.set(key, observed)
    }
    return { ...mechanism, witness: { ...witness, observed } }
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

/** Mechanisms whose example's answer is read for the list: the largest. Any other's stands in the grade of the program that is looked at. */
const answeredShown = 100

function falseAcceptance(row: ProgramRow): FalseAcceptance[] {
  const { audit, bodySha256, task, rollouts, firstRollout } = row
  if (!audit || bodySha256 === null) return []
  const { status, reason, total, signature } = audit
  const { names, failed } = signature ?? { names: [], failed: [] }
  return [{ task, bodySha256, draws: rollouts, firstRollout, status, reason, total, names, failed }]
}

/** One entry for all programs with the same scores: there are far fewer of them than programs. */
function scoresOf(audited: readonly BodyRow[]): AuditView['scores'] {
  const scores = new Map<string, AuditView['scores'][number]>()
  for (const { bodySha256, firstRollout, rollouts, passed, tests, audit } of audited) {
    const key = [passed, tests, audit?.passed, audit?.total].join()
    const known = scores.get(key)
    if (known) {
      known.programs += 1
      known.draws += rollouts
    } else
      scores.set(key, {
        passed,
        tests,
        auditPassed: audit?.passed ?? null,
        auditTotal: audit?.total ?? null,
        programs: 1,
        draws: rollouts,
        bodySha256,
        firstRollout,
      })
  }
  return [...scores.values()]
}

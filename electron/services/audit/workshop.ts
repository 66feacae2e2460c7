import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Suspect, suspicions } from '#shared/audit/suspicion.ts'
import { AppError } from '#shared/base/errors.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { Input, Mechanism, Outputs, Queue, RepairReport, TriageList } from '#shared/ipc/contract.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { resolveSource } from '../runs/suite-source.ts'
import { loadSuite, type Suite, suiteRef } from '../runs/suites.ts'
import type { BodyRow, Store } from '../store/store.ts'
import type { AskOptions } from './answers.ts'
import type { AuditService } from './audit.ts'
import { alike, type Known, knownBodies } from './likeness.ts'
import { queues, type Suspects } from './queues.ts'
import { keyOf, regradeBodies } from './regrade.ts'
import { repairSuite, type SavedProgram, smallestFailingInput } from './repair.ts'
import { triageList } from './triage-list.ts'
import { type SmallWitness, smallestWitness } from './witness.ts'

export type WorkshopDeps = {
  store: Store
  audit: AuditService
  ledger: LeaseLedger
  scratch: string
  /** Where repaired suites are kept, and folders of suites that may have a `bodies` folder of known mistakes. */
  made: string
  suiteFolders: string[]
  env: NodeJS.ProcessEnv
  now: () => Date
  specOf: (run: string) => Promise<RunSpec | null>
}

type Bench = { suite: Suite; audit: Suite; ask: AskOptions }

/** What is done with an audit's findings: explained, named, turned into a better suite. One piece of work a run at a time. */
export class AuditWorkshop {
  private readonly deps: WorkshopDeps
  private readonly busy = new Map<string, Promise<unknown>>()
  private readonly suspected = new Map<string, Map<string, Suspect>>()

  constructor(deps: WorkshopDeps) {
    this.deps = deps
  }

  /**
   * Finds the smallest witness of each mechanism that has none yet, and the known bodies that are wrong in the same way.
   * @returns how many were explained. @throws {AppError} `bad_input` where the run has no audit suite.
   */
  explain(run: string): Promise<{ explained: number }> {
    return this.alone(run, async () => {
      const bench = await this.bench(run)
      return { explained: (await this.explainOpen(run, bench)).length }
    })
  }

  async name({ run, mechanism, name, description }: Input<'audit.name'>): Promise<{ recorded: true }> {
    const { mechanisms } = await this.deps.audit.view(run)
    if (!mechanisms.some(({ id }) => id === mechanism))
      throw new AppError('not_found', `The audit of ${run} has no mechanism ${mechanism}.`)
    const at = this.deps.now().toISOString()
    await this.deps.audit.note(run, {
      at,
      type: 'mechanism.named',
      mechanism,
      name: name.trim(),
      description: description.trim(),
    })
    return { recorded: true }
  }

  /**
   * Writes a new version of the run's training suite that rejects its false acceptances, and grades the saved bodies by it.
   * @throws {AppError} `bad_input` where there is nothing to repair.
   */
  repair(run: string, cases: 'add' | 'swap'): Promise<RepairReport> {
    return this.alone(run, async () => {
      const bench = await this.bench(run)
      await this.explainOpen(run, bench)
      const { mechanisms } = await this.deps.audit.view(run)
      const report = await repairSuite({
        ...bench.ask,
        suite: bench.suite,
        audit: bench.audit,
        programs: await this.programs(run, this.deps.store.bodies(run)),
        witnesses: mechanisms.flatMap(shrunkWitness),
        cases,
        made: this.deps.made,
        regrade: (suite, programs) => this.regradeBy(run, suite, 'repaired', programs),
        now: this.deps.now,
      })
      await this.deps.audit.note(run, { at: report.at, type: 'suite.repaired', report })
      return report
    })
  }

  /**
   * Grades every saved body by one more suite, which then stands beside the run's own in the audit's tables.
   * @throws {AppError} `bad_suite`, `bad_input` where the suite has none of the run's tasks.
   */
  regrade(run: string, path: string): Promise<Outputs['audit.regrade']> {
    return this.alone(run, async () => {
      await this.specOf(run)
      const suite = await loadSuite(path)
      const tasks = new Set(suite.tasks.map(({ id }) => id))
      const rows = this.deps.store.bodies(run).filter((row) => tasks.has(row.task))
      if (rows.length === 0)
        throw new AppError('bad_input', `${suite.manifest.name} has no task of which ${run} has a body.`, {
          hint: 'Choose a suite of the same tasks.',
        })
      const grades = await this.regradeBy(run, suite, 'other', await this.programs(run, rows))
      return { graded: grades.size, suite: suiteRef(suite) }
    })
  }

  private async regradeBy(
    run: string,
    suite: Suite,
    origin: 'repaired' | 'other',
    programs: readonly SavedProgram[],
  ) {
    const { ledger, scratch, env, store, now } = this.deps
    const spec = await this.specOf(run)
    // The commit that the run was at: another suite of its tasks is of the same code.
    const ofRun = [spec.suite.source, spec.audit?.source].find((one) => one?.kind === 'commit')
    const source = await resolveSource(suite, ofRun ?? null)
    const grades = await regradeBodies(
      { ledger, scratch, env, store, now, run, suite, source, origin },
      programs,
    )
    this.deps.audit.advanced(run)
    return grades
  }

  queue(input: Input<'audit.queue'>): Promise<TriageList> {
    return triageList(this.deps, input, () => this.suspects(input.run))
  }

  async queues(run: string): Promise<Queue[]> {
    return queues(this.deps.store, run, await this.suspects(run))
  }

  /** Accepted bodies that stand out, with why. Each is a file: those read once are remembered, and a look reads only so many new ones. */
  private async suspects(run: string): Promise<Suspects> {
    const spec = await this.specOf(run)
    const accepted = this.deps.store.bodies(run).filter((body) => body.accepted > 0)
    const known = this.suspected.get(run) ?? new Map<string, Suspect>()
    this.suspected.set(run, known)
    const fresh = accepted.filter((row) => !known.has(keyOf(row))).slice(0, suspectsRead)
    for (const { row, body } of await this.programs(run, fresh))
      known.set(keyOf(row), { task: row.task, bodySha256: row.bodySha256, body })
    const references = await referencesOf(spec).catch(() => new Map<string, string>())
    return {
      reasons: suspicions([...known.values()], references),
      read: known.size,
      accepted: accepted.length,
    }
  }

  private async explainOpen(run: string, bench: Bench): Promise<string[]> {
    const { mechanisms } = await this.deps.audit.view(run)
    const open = mechanisms.filter((one) => one.witness && !one.witness.shrunk)
    const known = new Map<string, Known[]>()
    const explained: string[] = []
    for (const mechanism of open) {
      const { task } = mechanism
      if (!known.has(task)) known.set(task, await knownBodies(bench.ask, task, this.deps.suiteFolders))
      await this.explainOne(run, bench, mechanism, known.get(task) ?? [])
      explained.push(mechanism.id)
    }
    return explained
  }

  private async explainOne(run: string, bench: Bench, mechanism: Mechanism, known: Known[]): Promise<void> {
    const { bodySha256 } = mechanism.example
    const rows = this.deps.store
      .bodies(run)
      .filter((row) => row.bodySha256 === bodySha256 && row.task === mechanism.task)
    const [program] = await this.programs(run, rows)
    if (!program?.audit) return
    const input = smallestFailingInput(bench.audit, program)
    const witness = input && (await smallestWitness(bench.ask, mechanism.task, program.body, input))
    await this.deps.audit.note(run, {
      at: this.deps.now().toISOString(),
      type: 'mechanism.explained',
      mechanism: mechanism.id,
      witness: witness
        ? { input: witness.input, expected: witness.expected, observed: witness.observed }
        : null,
      like: alike(program.audit, known),
    })
  }

  private async programs(run: string, rows: readonly BodyRow[]): Promise<SavedProgram[]> {
    const { store } = this.deps
    const programs: SavedProgram[] = []
    for (const row of rows) {
      const evidence = row.evidenceSha256 ? await store.evidence.read(row.evidenceSha256) : null
      if (evidence?.body == null) continue
      const audit = row.audit && (await store.auditGrade(run, row.task, row.bodySha256))
      programs.push({ row, body: evidence.body, grade: evidence.grade, audit })
    }
    return programs
  }

  private async bench(run: string): Promise<Bench> {
    const spec = await this.specOf(run)
    if (!spec.audit) throw new AppError('bad_input', `${run} was launched without an audit suite.`)
    const [suite, audit] = await Promise.all([loadSuite(spec.suite.path), loadSuite(spec.audit.path)])
    const { ledger, scratch, env } = this.deps
    return { suite, audit, ask: { ledger, scratch, env, run, suite: audit } }
  }

  private async specOf(run: string): Promise<RunSpec> {
    const spec = await this.deps.specOf(run)
    if (!spec) throw new AppError('not_found', `There is no run ${run}.`)
    return spec
  }

  /** Two of them at once would look for the same witnesses twice. */
  private alone<T>(run: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.busy.get(run) ?? Promise.resolve()).then(work)
    this.busy.set(
      run,
      turn.catch(() => undefined),
    )
    return turn
  }
}

/** Accepted bodies that one look at the lists reads: each is a file. The next look reads on. */
const suspectsRead = 2000

function shrunkWitness({ task, witness }: Mechanism): SmallWitness[] {
  if (!witness?.shrunk) return []
  return [{ task, input: witness.input, expected: witness.expected, observed: witness.observed }]
}

async function referencesOf({ suite }: RunSpec): Promise<Map<string, string>> {
  const { tasks, path } = await loadSuite(suite.path)
  const references = new Map<string, string>()
  for (const { id, reference } of tasks)
    if (reference !== null) references.set(id, await readFile(join(path, reference), 'utf8'))
  return references
}

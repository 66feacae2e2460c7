import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suspicions } from '#shared/audit/suspicion.ts'
import { AppError } from '#shared/base/errors.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { Input, Mechanism, Queue, RepairReport } from '#shared/ipc/contract.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { loadSuite, type Suite } from '../runs/suites.ts'
import type { BodyRow, Store } from '../store/store.ts'
import type { AskOptions } from './answers.ts'
import type { AuditService } from './audit.ts'
import { alike, type Known, knownBodies } from './likeness.ts'
import { queues } from './queues.ts'
import { repairSuite, type SavedProgram, smallestFailingInput } from './repair.ts'
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
        now: this.deps.now,
      })
      await this.deps.audit.note(run, { at: report.at, type: 'suite.repaired', report })
      return report
    })
  }

  async queues(run: string): Promise<Queue[]> {
    const spec = await this.specOf(run)
    const accepted = this.deps.store.bodies(run).filter((body) => body.accepted > 0)
    const suspects = await this.programs(run, accepted.slice(0, suspectsRead))
    const references = await referencesOf(spec).catch(() => new Map<string, string>())
    const found = suspicions(
      suspects.map(({ row, body }) => ({ task: row.task, bodySha256: row.bodySha256, body })),
      references,
    )
    return queues(this.deps.store, run, [...found.keys()])
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
    const first = mechanism.bodies[0]?.bodySha256
    const rows = this.deps.store
      .bodies(run)
      .filter((row) => row.bodySha256 === first && row.task === mechanism.task)
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

/** Accepted bodies that are read for the list of suspicious ones: each is a file. */
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

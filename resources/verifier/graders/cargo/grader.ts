import { availableParallelism } from 'node:os'
import { AppError } from '#shared/base/errors.ts'
import type { TaskListing } from '#shared/domain/verifier.ts'
import type { Suite } from '../../suite/load.ts'
import { parseLines } from '../../suite/parse.ts'
import type { Control, Grader, GraderOptions, GraderStats, Slot, Verdict, WarmProgress } from '../grader.ts'
import { type Baseline, firstLimits, limitsFrom } from './baseline.ts'
import { Baselines } from './baselines.ts'
import type { CargoSlot } from './cargo-slot.ts'
import { type Confinement, confine } from './confinement.ts'
import { controlsFor } from './controls.ts'
import { type Graded, type GradePlan, gradeBody } from './grade-body.ts'
import { loadRustParser, type RustParser } from './rust-parser.ts'
import { openSite, type TaskSite } from './site.ts'
import { openSlots } from './slots.ts'
import { checkDigest, sourceOf } from './suite-source.ts'
import { CargoTask } from './task.ts'
import { findToolchain, type Toolchain } from './toolchain.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

type Parts = {
  suite: Suite
  tasks: Map<string, CargoTask>
  sites: Map<string, TaskSite>
  workspace: Workspace
  confinement: Confinement
  toolchain: Toolchain
  parser: RustParser
  options: GraderOptions
}

/**
 * A referee for Rust: bodies are spliced into one commit's tree, built and tested in a slot's own copy. Checks toolchain, commit, and that every
 * task's function and test targets are there.
 * @throws AppError `cargo_missing`, `git_failed`, `bad_suite`.
 */
export async function openCargoGrader(suite: Suite, options: GraderOptions): Promise<Grader> {
  const toolchain = await findToolchain()
  const confinement = await confine(toolchain, `${options.scratch}/filters`)
  const listing = suite.files.get('tasks.jsonl') ?? Buffer.alloc(0)
  const tasks = parseLines(CargoTask, listing, 'tasks.jsonl')
  const manifests = [...new Set(tasks.map((task) => task.manifest))]
  const source = sourceOf(suite, options)
  const workspace = await openWorkspace(options.scratch, source, manifests, {
    confinement,
    toolchain: toolchain.version,
  })
  checkDigest(suite, options, workspace)
  const parser = await loadRustParser()
  const sites = new Map<string, TaskSite>()
  for (const task of tasks) {
    const reference =
      task.reference === null ? null : (suite.files.get(task.reference)?.toString('utf8') ?? null)
    sites.set(task.id, await openSite(workspace, parser, task, reference))
  }
  const byId = new Map(tasks.map((task) => [task.id, task]))
  return new CargoGrader({ suite, tasks: byId, sites, workspace, confinement, toolchain, parser, options })
}

type Plan = Pick<GradePlan, 'limits' | 'wide' | 'checked'>

/** How long a pass says that the machine keeps up. */
const passHoldsMs = 5_000

class CargoGrader implements Grader {
  readonly kind = 'cargo' as const
  readonly version = 'cargo-1'
  readonly isolation
  readonly isolationDetail
  readonly commit
  private readonly parts: Parts
  private readonly baselines: Baselines
  private jobs = 1
  private passedAt = Number.NEGATIVE_INFINITY
  private counts: GraderStats

  constructor(parts: Parts) {
    this.parts = parts
    this.isolation = parts.confinement.isolation
    this.isolationDetail = parts.confinement.detail
    this.commit = parts.workspace.commit
    this.baselines = new Baselines(`${parts.options.scratch}/baselines`, parts.options.log)
    this.counts = {
      builds: 0,
      testRuns: 0,
      lockWaits: 0,
      clones: 0,
      diskBytes: null,
      diskLimitBytes: parts.options.diskLimitBytes,
    }
  }

  tasks(): TaskListing[] {
    return [...this.parts.tasks.values()].map(({ id, prompt, signature, tests }) => ({
      id,
      prompt,
      signature,
      tests: tests.map((test) =>
        test.target.kind === 'lib' ? test.name : `${test.target.name}::${test.name}`,
      ),
    }))
  }

  async open(count: number): Promise<Slot[]> {
    const { options, workspace, confinement, tasks } = this.parts
    this.jobs = Math.max(1, Math.floor(availableParallelism() / count))
    const opened = await openSlots({
      root: options.scratch,
      count,
      jobs: this.jobs,
      workspace,
      confinement,
      tasks: [...tasks.values()],
      limitBytes: options.diskLimitBytes,
      log: options.log,
      bench: { grade: (slot, task, body, signal, checked) => this.grade(slot, task, body, signal, checked) },
    })
    this.counts.clones += opened.clones
    this.counts.diskBytes = opened.diskBytes
    this.counts.diskLimitBytes = opened.limitBytes
    return opened.slots
  }

  async warm(slots: Slot[], progress: (line: WarmProgress) => void, signal: AbortSignal): Promise<void> {
    const waiting = [...this.parts.tasks.keys()]
    const total = waiting.length
    let done = 0
    const work = async (slot: CargoSlot) => {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        const id = task
        const started = performance.now()
        await slot.alone((both) => this.baseline(slot, id, both), signal)
        done += 1
        progress({ slot: slot.index, phase: `measured ${id}`, done, total, ms: performance.now() - started })
      }
    }
    await Promise.all((slots as CargoSlot[]).map(work))
  }

  controls(task: string): Control[] {
    const site = this.parts.sites.get(task)
    return site ? controlsFor(task, site.site.reference.text, site.site.function.returnsImpl) : []
  }

  stats(): GraderStats {
    return this.counts
  }

  /** Slots hold everything that runs, and end it themselves. */
  async dispose(): Promise<void> {}

  private async grade(
    slot: CargoSlot,
    task: string,
    body: string,
    signal: AbortSignal,
    checked: boolean,
  ): Promise<Verdict> {
    const baseline = await this.baseline(slot, task, signal)
    if (!baseline.ok) {
      const { status, reason, output } = baseline
      return { status, reason, output, tests: [], buildMs: null, testMs: null, cache: slot.cache }
    }
    const plan = { limits: limitsFrom(baseline, this.known(task).task), wide: baseline.wide, checked }
    const graded = await this.run(slot, task, body, plan, signal)
    if (graded.doubtful) await this.confirm(slot, task, plan, signal)
    const { readings: _, lockWaits: __, doubtful: ___, ...verdict } = graded
    // The reference body found the same tests, so it was not the suite.
    if (verdict.status !== 'no_test_ran') return verdict
    return { ...verdict, status: 'tampered', reason: 'tests_vanished' }
  }

  private async run(
    slot: CargoSlot,
    id: string,
    body: string,
    how: Plan,
    signal: AbortSignal,
  ): Promise<Graded> {
    const { task, site } = this.known(id)
    const place = {
      confinement: this.parts.confinement,
      slot: slot.folders,
      tree: slot.tree,
      jobs: this.jobs,
      cache: slot.cache,
    }
    const graded = await gradeBody(place, { task, taskSite: site, ...how }, this.parts.parser, body, signal)
    this.counts.builds += graded.buildMs === null ? 0 : 1
    this.counts.testRuns += graded.readings.length
    this.counts.lockWaits += graded.lockWaits
    if (graded.status === 'passed') this.passedAt = performance.now()
    return graded
  }

  /**
   * A machine in trouble runs out of time, or loses its compiler, as a body makes it: unless something passed here just now, the reference
   * body must pass within the same limits, or nothing is said about the body.
   */
  private async confirm(slot: CargoSlot, task: string, plan: Plan, signal: AbortSignal): Promise<void> {
    if (performance.now() - this.passedAt < passHoldsMs) return
    const { status } = await this.run(slot, task, this.known(task).site.site.reference.text, plan, signal)
    if (status !== 'passed')
      throw new AppError(
        'timed_out',
        `Within the same limits the reference body of ${task} is ${status} too.`,
      )
  }

  private baseline(slot: CargoSlot, id: string, signal: AbortSignal): Promise<Baseline> {
    const { task, site } = this.known(id)
    const reference = site.site.reference.text
    const identity = JSON.stringify([this.parts.workspace.key, this.version, task, reference])
    return this.baselines.get(id, identity, (wide) =>
      this.run(slot, id, reference, { limits: firstLimits, wide, checked: true }, signal),
    )
  }

  private known(id: string): { task: CargoTask; site: TaskSite } {
    const task = this.parts.tasks.get(id)
    const site = this.parts.sites.get(id)
    if (!task || !site) throw new AppError('unknown_task', `The suite has no task ${id}.`)
    return { task, site }
  }
}

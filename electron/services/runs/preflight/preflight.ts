import type { SuiteSource } from '#shared/domain/run.ts'
import type { ControlsReport } from '#shared/domain/verifier.ts'
import type { LaunchDraft, PreflightReport, PreflightRow } from '#shared/ipc/contract.ts'
import type { MutantReport } from '#shared/mutation/report.ts'
import type { Boxes } from '../../box/ssh/boxes.ts'
import type { Clusters } from '../../kube/clusters.ts'
import type { LeaseLedger } from '../../leases/ledger.ts'
import type { MutantsService } from '../../mutants/mutants.ts'
import { checksOf, PipelineBench, pipelineChecks } from '../../trainer/checks.ts'
import { localModule } from '../../trainer/module.ts'
import { type Body, gradeAll } from '../../verifier/grade-all.ts'
import { type OwnVerifier, startOwnVerifier } from '../../verifier/own-verifier.ts'
import { localBox } from '../draft.ts'
import { resolveSource, sourceArguments } from '../suite-source.ts'
import { loadSuite, type Suite } from '../suites.ts'
import { BoxBench } from './box-bench.ts'
import {
  type Check,
  checkDataFolder,
  checkDisk,
  checkNode,
  checkPort,
  checkPython,
  type Finding,
  failed,
  fromError,
  passed,
  warned,
} from './checks.ts'
import { clusterChecks } from './cluster-bench.ts'

export type PreflightContext = {
  home: string
  scratch: string
  ledger: LeaseLedger
  boxes: Boxes
  env: NodeJS.ProcessEnv
  onRow: (row: PreflightRow) => void
  mutants: MutantsService
  clusters: Clusters
}

/** A draft with the paths of its suites resolved. */
export type PreflightSubject = LaunchDraft

/**
 * Looks at everything that a launch needs, in the order in which one thing needs another, and reports each row as it is known. A row whose
 * check was overridden by a typed reason warns instead of failing, and says so.
 */
export async function preflight(
  context: PreflightContext,
  subject: PreflightSubject,
): Promise<PreflightReport> {
  const bench = new Bench(context, subject)
  const rows: PreflightRow[] = []
  try {
    for (const check of bench.checks()) rows.push(await perform(check, context, subject))
  } finally {
    await bench.dispose()
  }
  const states = rows.map((row) => row.state)
  const verdict = states.includes('failed') ? 'failed' : states.includes('warned') ? 'warned' : 'ready'
  return { rows, verdict }
}

async function perform(
  check: Check,
  context: PreflightContext,
  subject: PreflightSubject,
): Promise<PreflightRow> {
  const base = { check: check.check, label: check.label, overridable: check.overridable ?? false }
  let over = false
  // What a check has started may go on talking after it: that is no word on the row any more.
  const say = (detail: string) => {
    if (!over) context.onRow({ ...base, state: 'running', detail, remedy: null, ms: null })
  }
  say('')
  const began = performance.now()
  const found = overridden(check, await check.look(say).catch(fromError), subject)
  over = true
  const row = {
    ...base,
    state: found.state,
    detail: found.detail,
    remedy: found.remedy ?? null,
    ms: Math.round(performance.now() - began),
  }
  context.onRow(row)
  return row
}

function overridden(check: Check, found: Finding, subject: PreflightSubject): Finding {
  const override = subject.overrides.find((one) => one.check === check.check)
  if (found.state !== 'failed' || !check.overridable || !override) return found
  return warned(`${found.detail} Overridden: ${override.reason}`, found.remedy ?? 'None needed.')
}

/** The things that later checks share: the loaded suites and one verifier, started once. */
class Bench {
  private readonly context: PreflightContext
  private readonly subject: PreflightSubject
  private suite: Suite | null = null
  private source: SuiteSource | null = null
  private verifier: OwnVerifier | null = null
  private box: BoxBench | null = null
  private pipeline: PipelineBench | null = null

  constructor(context: PreflightContext, subject: PreflightSubject) {
    this.context = context
    this.subject = subject
  }

  checks(): Check[] {
    const { home, env } = this.context
    return [
      { check: 'data_folder', label: 'Data folder can be written', look: () => checkDataFolder(home) },
      { check: 'disk', label: 'Disk space', look: () => checkDisk(home) },
      { check: 'node', label: 'Node', look: async () => checkNode(process.version) },
      { check: 'python', label: 'Python', look: () => checkPython(env) },
      { check: 'suite', label: 'Training suite is valid', look: () => this.lookAtSuite() },
      { check: 'audit_suite', label: 'Audit suite is another one', look: () => this.lookAtAudit() },
      { check: 'port', label: 'A port on loopback', look: () => checkPort() },
      { check: 'verifier', label: 'Verifier starts', look: (say) => this.startVerifier(say) },
      { check: 'isolation', label: 'Candidates are isolated', look: () => this.lookAtIsolation() },
      {
        check: 'controls',
        label: 'Grader’s controls hold on this suite',
        overridable: true,
        look: (say) => this.runControls(say),
      },
      { check: 'mutants', label: 'Suite notices planted faults', look: () => this.lookAtMutants() },
      ...this.boxChecks(),
      ...clusterChecks(this.context.clusters, this.subject),
      ...this.pipelineChecks(),
    ]
  }

  /** What the pipeline's trainer says of itself, on the machine where it would run. */
  private pipelineChecks(): Check[] {
    const labels = new Map<string, string>(pipelineChecks)
    return checksOf(this.subject).map((check) => ({
      check,
      label: labels.get(check) ?? check,
      look: async () => {
        this.pipeline ??= this.openPipeline()
        return this.pipeline?.look(check) ?? failed('the box was not reached', 'Make it reachable first.')
      },
    }))
  }

  private openPipeline(): PipelineBench | null {
    if (this.subject.box === localBox) return new PipelineBench(this.subject, localModule(this.context.env))
    const module = this.box?.module()
    return module ? new PipelineBench(this.subject, module) : null
  }

  /** What a box behind SSH must have besides; nothing where the run stays on this machine. */
  private boxChecks(): Check[] {
    const named = this.subject.box
    if (named === localBox) return []
    const judged = (check: string, label: string): Check => ({
      check,
      label,
      look: async () =>
        this.box?.judged(check) ?? failed('the box was not reached', 'Make it reachable first.'),
    })
    return [
      {
        check: 'box',
        label: 'Box is reached',
        look: () => {
          this.box = new BoxBench(this.context.boxes, named)
          return this.box.reach()
        },
      },
      judged('box_disk', 'Disk space on the box'),
      judged('box_home', 'Home on the box outlives a restart'),
      {
        check: 'box_node',
        label: 'Node on the box',
        look: async () =>
          this.box?.node(this.subject.pipeline === null && this.subject.command === null) ??
          failed('the box was not reached', 'Make it reachable first.'),
      },
      judged('box_python', 'Python on the box'),
      judged('box_clock', 'Clock of the box'),
      {
        check: 'box_gpu',
        label: 'GPU memory on the box',
        look: async () =>
          this.box?.gpus(this.subject.pipeline?.backend === 'trl') ??
          failed('the box was not reached', 'Make it reachable first.'),
      },
      {
        check: 'box_verifier',
        label: 'Box reaches the verifier',
        look: async () =>
          this.box?.grade(this.verifier, this.suite, this.subject.reach) ??
          failed('the box was not reached', 'Make it reachable first.'),
      },
    ]
  }

  async dispose(): Promise<void> {
    await this.verifier?.dispose()
  }

  private async lookAtSuite(): Promise<Finding> {
    const suite = await loadSuite(this.subject.suite)
    this.source = await resolveSource(suite, this.subject.source)
    this.suite = suite
    const { name, version, sha256 } = suite.manifest
    const over = overSource(this.source)
    const { pipeline, command } = this.subject
    if (pipeline === null && command === null && suite.manifest.grader !== 'python-function')
      return failed(
        `${name} is graded by ${suite.manifest.grader}; the embedded trainer writes Python functions`,
        'Choose another trainer for this suite.',
      )
    const { source } = this
    const pinned = this.subject.verifier.kind === 'cluster' ? this.subject.verifier.commit : null
    if (pinned !== null && source?.kind === 'commit' && !source.commit.startsWith(pinned))
      return failed(
        `the checks would be of commit ${source.commit.slice(0, 12)}, the run of ${pinned.slice(0, 12)}`,
        'Name the same commit here and for the verifier in the cluster.',
      )
    return passed(`${name} ${version}, ${suite.tasks.length} task(s), content ${sha256.slice(0, 12)}${over}`)
  }

  private async lookAtAudit(): Promise<Finding> {
    const remedy = 'Choose an audit suite that training never sees.'
    if (this.subject.audit === null)
      return warned('no audit suite: false acceptances will not be seen', remedy)
    const audit = await loadSuite(this.subject.audit)
    const { suite } = this
    if (!suite) return failed('the training suite is not valid, so nothing can be compared', remedy)
    if (audit.manifest.sha256 === suite.manifest.sha256)
      return failed('the audit suite is the training suite itself', remedy)
    const tasks = new Set(audit.tasks.map((task) => task.id))
    const missing = suite.tasks.filter((task) => !tasks.has(task.id)).map((task) => task.id)
    if (missing.length > 0) {
      const few = missing.slice(0, 3).join(', ')
      const more = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
      return failed(`the audit suite lacks task ${few}${more}`, 'Choose one of the same tasks, or none.')
    }
    const over = overSource(await resolveSource(audit, this.subject.source))
    const shared = sharedInputs(suite, audit)
    return passed(
      `${audit.manifest.name} ${audit.manifest.version}, ${shared} input(s) shared with training${over}`,
    )
  }

  private async startVerifier(say: (detail: string) => void): Promise<Finding> {
    const { ledger, scratch, env } = this.context
    this.verifier = await startOwnVerifier({
      ledger,
      scratch,
      env,
      suite: this.subject.suite,
      workers: 2,
      run: null,
      purpose: 'preflight verifier',
      onLog: (line) => say(line.replace(/^\S+Z /, '')),
      args: sourceArguments(this.source),
    })
    const health = await this.verifier.client.health()
    return passed(`version ${health.version}, ${health.grader}, ${health.workers.length} worker(s)`)
  }

  private async lookAtIsolation(): Promise<Finding> {
    if (!this.verifier) return failed('no verifier to ask', 'Make the verifier start first.')
    const { isolation, isolationDetail } = await this.verifier.client.health()
    if (isolation === 'sandbox') return passed(isolationDetail)
    return warned(
      `not isolated (${isolation}): ${isolationDetail}`,
      'Install bubblewrap where there is one (Linux); elsewhere run only suites and policies that you trust.',
    )
  }

  /** What was measured of the whole suite where it was, else a sample now. */
  private async lookAtMutants(): Promise<Finding> {
    if (!this.verifier || !this.suite) return failed('no verifier to ask', 'Make the verifier start first.')
    const { verifier, suite, subject } = this
    const { mutants } = this.context
    const saved = await mutants.saved(suite, subject.audit)
    if (saved) return judgeMutants(saved, false)
    try {
      const grade = (bodies: Body[]) => gradeAll(verifier, bodies)
      return judgeMutants(await mutants.sample(suite, subject, grade, sampledMutants), true)
    } catch (thrown) {
      const found = fromError(thrown)
      return warned(`not measured: ${found.detail}`, found.remedy ?? 'See the log for details.')
    }
  }

  private async runControls(say: (detail: string) => void): Promise<Finding> {
    if (!this.verifier || !this.suite) return failed('no verifier to ask', 'Make the verifier start first.')
    const reports: ControlsReport[] = []
    const { tasks } = this.suite
    for (const task of tasks) {
      if (tasks.length > 1) say(`${reports.length} of ${tasks.length} tasks`)
      reports.push(await this.verifier.client.controls(task.id))
    }
    const controls = reports.flatMap((report) => report.controls)
    const broken = controls.filter((control) => !control.holds)
    if (controls.length === 0)
      return failed('the suite has no controls', 'Add controls, or give a typed reason.')
    if (broken.length === 0) return passed(`${controls.length} of ${controls.length} hold`)
    const names = broken.map(({ control, expected, got }) => `${control} wants ${expected}, got ${got}`)
    return failed(
      `${broken.length} of ${controls.length} do not hold: ${names.slice(0, 3).join('; ')}.`,
      'Open the failing control; fix the suite or grader, or give a typed reason.',
    )
  }
}

/** A suite that lets more planted faults through than this is not worth a long run. It warns; a person may know better. */
const wantedScore = 0.9
/** Enough to notice a suite that is blind, few enough not to keep a launch waiting. */
const sampledMutants = 8

function judgeMutants(report: MutantReport, sampled: boolean): Finding {
  const { score, killed, graded, possible, falseAcceptances, unseen, equivalent } = report.total
  if (score === null)
    return warned('no mutant could be graded', 'Run ringside mutants on the suite and see why.')
  const of =
    sampled && graded < possible
      ? `a sample of ${graded} mutants (${possible} possible)`
      : `${graded} mutants`
  const detail = `kills ${killed} of ${of}; ${falseAcceptances} would be false acceptances, ${unseen} unseen or equivalent, ${equivalent} marked equivalent`
  if (falseAcceptances === 0 && score >= wantedScore) return passed(detail)
  const wanted = `${Math.round(100 * wantedScore)} % and no would-be false acceptance`
  return warned(
    `${detail}; ${Math.round(100 * score)} % where ${wanted} is wanted`,
    'Look at the survivors with ringside mutants; add the cases that they ask for, or mark them as equivalent.',
  )
}

function overSource(source: SuiteSource | null): string {
  if (source === null) return ''
  return source.kind === 'commit'
    ? `, over ${source.repo} at ${source.commit.slice(0, 12)}`
    : `, over ${source.folder}`
}

function sharedInputs(suite: Suite, audit: Suite): number {
  let shared = 0
  for (const [task, cases] of suite.cases) {
    const inputs = new Set(cases.map((one) => one.input))
    shared += (audit.cases.get(task) ?? []).filter((one) => inputs.has(one.input)).length
  }
  return shared
}

import { randomBytes } from 'node:crypto'
import { AppError } from '#shared/base/errors.ts'
import type { TestOutcome } from '#shared/domain/grade.ts'
import type { Verdict } from '../grader.ts'
import { type Build, build, requestFor, staleness } from './build.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import { evidenceText } from './evidence-text.ts'
import type { TestReading } from './harness-output.ts'
import { type Prepared, prepare } from './prepared.ts'
import { runTest, type TestRunResult } from './run-tests.ts'
import type { TaskSite } from './site.ts'
import type { SlotTree } from './slot-tree.ts'
import { splice } from './splice.ts'
import { type CargoTask, type CargoTest, targetKey, targetsOf } from './task.ts'

/** What a body may take. Multiples of what the reference body took here; see `limitsFrom`. */
export type GradeLimits = {
  buildMs: number
  testMs: number
  buildMemoryBytes: number
  testMemoryBytes: number
}

export type GradePlace = {
  confinement: Confinement
  slot: SlotFolders
  tree: SlotTree
  jobs: number
  cache: 'warm' | 'cold'
}

export type GradePlan = { task: CargoTask; taskSite: TaskSite; limits: GradeLimits; processes: boolean }

/** A verdict with what a baseline is made of. */
export type Graded = Verdict & { testTimesMs: number[]; readings: TestReading[]; lockWaits: number }

/** Grades one body in one slot, from the pristine tree to the pristine tree. */
export async function gradeBody(
  place: GradePlace,
  plan: GradePlan,
  parser: Parameters<typeof splice>[0],
  body: string,
  signal?: AbortSignal,
): Promise<Graded> {
  const spliced = splice(parser, plan.taskSite.site, body)
  if (!spliced.ok)
    return verdict(place, {
      status: spliced.status,
      reason: spliced.reason,
      output: [evidenceText('splice', spliced.detail)],
    })
  const nonce = randomBytes(16).toString('hex')
  const prepared = prepare(plan.task, plan.taskSite, spliced.source, nonce)
  try {
    await place.tree.write(prepared.files)
    return await buildAndRun(place, plan, prepared, nonce, signal)
  } finally {
    await place.tree.restore()
  }
}

function verdict(place: GradePlace, parts: Partial<Graded> & Pick<Graded, 'status' | 'reason'>): Graded {
  return {
    tests: [],
    buildMs: null,
    testMs: null,
    output: [],
    testTimesMs: [],
    readings: [],
    lockWaits: 0,
    cache: place.cache,
    ...parts,
  }
}

async function buildAndRun(
  place: GradePlace,
  plan: GradePlan,
  prepared: Prepared,
  nonce: string,
  signal?: AbortSignal,
): Promise<Graded> {
  const targets = targetsOf(plan.task)
  const request = {
    ...requestFor(plan.task),
    targets,
    jobs: place.jobs,
    timeoutMs: plan.limits.buildMs,
    memoryBytes: plan.limits.buildMemoryBytes,
    signal,
  }
  let built = await build(place.confinement, place.slot, request)
  let stale = built.report.success ? await staleness(built, place.slot, targets, nonce) : null
  if (stale !== null) {
    await place.tree.touch()
    built = await build(place.confinement, place.slot, request)
    stale = built.report.success ? await staleness(built, place.slot, targets, nonce) : null
  }
  const { result, report } = built
  const text = `${report.messages.map((item) => item.rendered ?? '').join('')}${result.stderr}`
  const said = {
    buildMs: result.ms,
    output: [evidenceText('cargo', text, result.cutBytes)],
    lockWaits: (result.stderr.match(/Blocking waiting for file lock/g) ?? []).length,
  }
  if (result.timedOut) return verdict(place, { status: 'timed_out', reason: 'build_time_limit', ...said })
  if (!report.success) return failedBuild(place, plan, built, said)
  if (report.messages.some((item) => item.code?.code === 'non_local_definitions' && touches(item, plan)))
    return verdict(place, { status: 'tampered', reason: 'non_local_impl', ...said })
  if (stale !== null)
    throw new AppError('unresolved', `The build cannot be shown to be this body’s: ${stale}.`)
  return { ...(await runAll(place, plan, prepared, built, signal)), ...said, ...{} } as Graded
}

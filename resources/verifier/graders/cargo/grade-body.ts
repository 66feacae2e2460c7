import { randomBytes } from 'node:crypto'
import { AppError } from '#shared/base/errors.ts'
import type { Verdict } from '../grader.ts'
import { build, requestFor, staleness } from './build.ts'
import type { CompilerMessage } from './cargo-messages.ts'
import type { Confinement, SlotFolders } from './confinement.ts'
import { evidenceText } from './evidence-text.ts'
import type { TestReading } from './harness-output.ts'
import { type Prepared, prepare } from './prepared.ts'
import { scoreTests } from './score-tests.ts'
import type { TaskSite } from './site.ts'
import type { SlotTree } from './slot-tree.ts'
import { splice } from './splice.ts'
import { type CargoTask, targetsOf } from './task.ts'
import { freeBytes } from './workspace.ts'

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

export type GradePlan = {
  task: CargoTask
  taskSite: TaskSite
  limits: GradeLimits
  wide: boolean
  checked: boolean
}

/** A verdict with what a baseline is made of; `doubtful` where a machine in trouble could have brought it about as well. */
export type Graded = Verdict & { readings: TestReading[]; lockWaits: number; doubtful: boolean }

/** Grades one body in one slot, from the pristine tree to the pristine tree. */
export async function gradeBody(
  place: GradePlace,
  plan: GradePlan,
  parser: Parameters<typeof splice>[0],
  body: string,
  signal?: AbortSignal,
): Promise<Graded> {
  const spliced = splice(parser, plan.taskSite.site, body, plan.checked)
  if (!spliced.ok)
    return verdict(place, {
      status: spliced.status,
      reason: spliced.reason,
      output: [evidenceText('splice', spliced.detail)],
    })
  await refuseLowDisk(place)
  const nonce = randomBytes(16).toString('hex')
  const prepared = prepare(plan.task, plan.taskSite, spliced.source, nonce)
  try {
    await place.tree.write(prepared.files)
    return await buildAndRun(place, plan, prepared, nonce, signal)
  } finally {
    await place.tree.restore()
  }
}

/** Room that one build may need; below it nothing is begun, for a full disk looks like a body that does not compile. */
const leastFreeBytes = 128 * 1024 * 1024

async function refuseLowDisk(place: GradePlace): Promise<void> {
  const free = await freeBytes(place.slot.target)
  if (free < leastFreeBytes)
    throw new AppError(
      'disk_full',
      `Only ${Math.floor(free / 1024 ** 2)} MiB are free for the verifier’s build folders.`,
    )
}

function verdict(place: GradePlace, parts: Partial<Graded> & Pick<Graded, 'status' | 'reason'>): Graded {
  return {
    tests: [],
    buildMs: null,
    testMs: null,
    output: [],
    readings: [],
    lockWaits: 0,
    doubtful: parts.status === 'timed_out',
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
  const failed = (status: Verdict['status'], reason: string) => verdict(place, { status, reason, ...said })
  if (result.timedOut) return failed('timed_out', 'build_time_limit')
  if (!report.success) {
    await refuseFullDisk(place, text)
    const located = report.messages.some((item) => item.level === 'error' && item.spans.length > 0)
    return { ...failed('build_failed', located ? 'compile_error' : 'compiler_ended'), doubtful: !located }
  }
  if (report.messages.some((message) => leaks(message, plan))) return failed('tampered', 'non_local_impl')
  if (stale !== null)
    throw new AppError('unresolved', `The build cannot be shown to be this body’s: ${stale}.`)
  const run = await scoreTests(place, plan, prepared, built, signal)
  return verdict(place, { ...run, ...said, output: [...said.output, ...run.output] })
}

/** The compiler's own opinion, beside the policy's: an item inside the body that holds outside it. */
const leaks = (message: CompilerMessage, plan: GradePlan): boolean =>
  message.code?.code === 'non_local_definitions' &&
  message.spans.some(
    (span) => plan.task.file.endsWith(span.file_name) || span.file_name.endsWith(plan.task.file),
  )

/** A body cannot bring this about: there was room before it, and one build's files are limited. */
async function refuseFullDisk(place: GradePlace, text: string): Promise<void> {
  const full = /No space left on device|ENOSPC/.test(text)
  if (full && (await freeBytes(place.slot.target)) < leastFreeBytes)
    throw new AppError('disk_full', 'The disk with the verifier’s build folders is full.')
}

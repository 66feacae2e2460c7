import type { Isolation, Status, TestOutcome } from '#shared/domain/grade.ts'
import type { ReplicaHealth } from '#shared/domain/replica.ts'
import type { GraderKind } from '#shared/domain/suite.ts'
import type { Evidence, TaskListing } from '#shared/domain/verifier.ts'

/** What a grader can say about a body. `no_answer` and `unreachable` are said by others. */
export type VerdictStatus = Exclude<Status, 'no_answer' | 'unreachable'>

/**
 * A grader's finding on one body, before the service turns it into a grade: the reward follows from `status` and `tests` alone (see
 * `toGrade`), identity and times of queueing are put on by the service. A grader throws only for a fault of its own; the service then
 * answers `unresolved` with the error's code as reason, and the body may be executed again. Whatever a body can bring about is a verdict.
 */
export type Verdict = {
  status: VerdictStatus
  /** A stable snake_case code; required for `tampered`, `unresolved` and `no_test_ran`. */
  reason: string | null
  /** Scored tests, and negative controls with `control: true` (there `passed` means: failed as it should). */
  tests: TestOutcome[]
  buildMs: number | null
  testMs: number | null
  /** Whether the caches this body met were there already; `fresh` where the grader keeps none. */
  cache: 'fresh' | 'warm' | 'cold'
  output: Evidence['output']
  /** Who really graded it, where that was another verifier. */
  by?: { verifier: string | null; isolation: Isolation | null }
}

export type GradeJob = {
  task: string
  body: string
  /** sha256 of the body's bytes, also fit for naming build products. */
  bodySha256: string
  /** Aborted when the service ends: kill every process of the job and reject. Nothing is recorded then. */
  signal: AbortSignal
}

/** One place where one body at a time is graded: a worktree with its target folder, or nothing but a name. */
export type Slot = {
  readonly index: number
  /** Live: `warm` once the slot's caches are filled. */
  readonly cache: 'warm' | 'cold'
  grade(job: GradeJob): Promise<Verdict>
  /** Kills what still runs in the slot and gives back what it holds outside the data folder. */
  dispose(): Promise<void>
}

/**
 * One of the grader's self-tests. `expected` are the statuses of which any holds, `reasons` narrows them where given. Most are a body that is
 * graded like any other; what takes more than one body (a sibling's stale build) brings its own `probe`, which gets every slot, idle.
 */
export type Control = {
  name: string
  expected: VerdictStatus[]
  reasons?: string[]
} & ({ body: string } | { probe: (slots: Slot[], signal: AbortSignal) => Promise<Verdict> })

/** One line of the progress of filling the caches, sent on as NDJSON by `POST /v1/warm`. */
export type WarmProgress = { slot: number; phase: string; done: number; total: number; ms: number | null }

/** A referee of one kind over one loaded suite. Made by a `GraderFactory`, which checks tools and suite and throws `AppError` at start. */
export type Grader = {
  readonly kind: GraderKind
  /** Of the grader itself; part of every grade's `verifier`. */
  readonly version: string
  readonly isolation: Isolation
  /** One sentence for people: what holds a body in, or what does not. */
  readonly isolationDetail: string
  readonly commit: string | null
  tasks(): TaskListing[]
  /** Opens all slots, in order from 0; may give fewer than `count` where a budget says so, and logs why. */
  open(count: number): Promise<Slot[]>
  /** Fills the slots' caches. Slots in use are left alone and filled by their next grade. */
  warm(slots: Slot[], progress: (line: WarmProgress) => void, signal: AbortSignal): Promise<void>
  controls(task: string): Control[]
  stats?(): GraderStats
  /** Why nothing can be graded for now; null where something can. Absent from graders that can whenever they are open. */
  waitingFor?(): string | null
  /** Where it grades elsewhere: on which replicas. */
  replicas?(): ReplicaHealth[]
  dispose(): Promise<void>
}

/** What a grader counts for `/v1/health` and `/metrics`, beyond what the service counts itself. */
export type GraderStats = {
  /** Builds and tests begun, waits for a lock on a build folder, slots filled by a copy of a built one. */
  builds: number
  testRuns: number
  lockWaits: number
  clones: number
  /** Bytes that the grader's own folders take, and the most that they may; null where there is no limit. */
  diskBytes: number | null
  diskLimitBytes: number | null
}

export type GraderOptions = {
  /** The suite's folder: a suite may name its workspace relative to itself where no repository is given. */
  suiteFolder: string
  /** The most that `scratch` may take; null for what the disk has free. */
  diskLimitBytes: number | null
  /** Folder under the service's data folder that is the grader's own (slots, targets, scratch). Made already. */
  scratch: string
  /** Repository and commit, for graders of code that lives in one. */
  repo: string | null
  commit: string | null
  /** Where the folder lies now that the suite names relative to itself; null for beside the suite, as it says. */
  workspace: string | null
  log: (text: string) => void
}

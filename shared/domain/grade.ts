import { z } from 'zod'
import { Sha256 } from '../base/ids.ts'

/** In the order in which they are drawn and listed everywhere. */
export const statuses = [
  'passed',
  'test_failed',
  'build_failed',
  'timed_out',
  'no_answer',
  'tampered',
  'no_test_ran',
  'unreachable',
  'unresolved',
] as const
export type Status = (typeof statuses)[number]

const ungraded = ['no_test_ran', 'unreachable', 'unresolved'] as const satisfies Status[]
export type UngradedStatus = (typeof ungraded)[number]

/** Whether a status carries a number. The three others are silence about the body and carry `null`, never 0. */
export const isGraded = (status: Status): status is Exclude<Status, UngradedStatus> =>
  !(ungraded as readonly Status[]).includes(status)

export const TestOutcome = z.object({
  name: z.string(),
  outcome: z.enum(['passed', 'failed', 'timed_out', 'crashed', 'not_run', 'tampered']),
  ms: z.number().nullable(),
  /** A negative control is written to fail on a right body; `passed` here then means that it held, i.e. failed as it should. */
  control: z.boolean().optional(),
  /** For case suites, as raw JSON text: numbers keep their spelling (2.0 is not 2). */
  expected: z.string().optional(),
  observed: z.string().nullable().optional(),
  /** What the body wrote or raised, cut at a limit that is said. */
  detail: z.string().optional(),
})
export type TestOutcome = z.infer<typeof TestOutcome>

/**
 * What holds a body in, the strongest first: a sandbox of its own; a user of its own a slot, with limits, in a place that such a user cannot
 * read; a container around the whole verifier, and in it limits alone; limits alone, as the verifier's own user; nothing.
 */
export const isolations = ['sandbox', 'user', 'container', 'limits', 'none'] as const
export const Isolation = z.enum(isolations)
export type Isolation = z.infer<typeof Isolation>

/** Whether what holds is as strong as what an operator requires. */
export const holdsAtLeast = (holding: Isolation, required: Isolation): boolean =>
  isolations.indexOf(holding) <= isolations.indexOf(required)

const fields = z.object({
  status: z.enum(statuses),
  reward: z.number().min(0).max(1).nullable(),
  /** A stable snake_case code, for `tampered`, `unresolved`, `no_answer` and wherever one helps. */
  reason: z.string().nullable(),
  tests: z.array(TestOutcome),
  /** Scored tests, negative controls apart; null where nothing was to be counted. */
  total: z.number().int().nullable(),
  passed: z.number().int().nullable(),
  buildMs: z.number().nullable(),
  testMs: z.number().nullable(),
  queueMs: z.number().nullable(),
  cache: z.enum(['fresh', 'warm', 'cold', 'replayed']).nullable(),
  bodySha256: Sha256.nullable(),
  suite: z.object({ name: z.string(), version: z.string(), sha256: Sha256 }).nullable(),
  commit: z.string().nullable(),
  verifier: z.string().nullable(),
  isolation: Isolation.nullable(),
  evidenceSha256: Sha256.nullable(),
})

const rewardFitsStatus = (grade: { status: Status; reward: number | null }) =>
  isGraded(grade.status) === (grade.reward !== null)
const misfit = { message: 'a reward is a number exactly where the status is graded' }

/** What a verifier says about one body. See `scoreOf` for how `reward` follows from the rest. */
export const Grade = fields.refine(rewardFitsStatus, misfit)
export type Grade = z.infer<typeof Grade>

/** How a body was taken from a completion: a step of its own, reported apart from the grade. */
export const Extraction = z.object({
  outcome: z.enum(['body', 'fence_count', 'fence_language', 'unclosed']),
  /** Fenced blocks found; info string of the one taken. */
  fences: z.number().int(),
  info: z.string().nullable(),
})
export type Extraction = z.infer<typeof Extraction>

/** One line of a verifier's reply and of `ringside grade --json`: the grade itself, named. */
export const GradeLine = fields
  .extend({ id: z.string(), task: z.string(), extraction: Extraction.nullable() })
  .refine(rewardFitsStatus, misfit)
export type GradeLine = z.infer<typeof GradeLine>

/** A grade that names no body and no evidence: what a trainer records when no verifier answered. */
export const silentGrade = (status: UngradedStatus, reason: string): Grade => ({
  status,
  reward: null,
  reason,
  tests: [],
  total: null,
  passed: null,
  buildMs: null,
  testMs: null,
  queueMs: null,
  cache: null,
  bodySha256: null,
  suite: null,
  commit: null,
  verifier: null,
  isolation: null,
  evidenceSha256: null,
})

/**
 * Partial credit: max(0, passed ÷ total − controlsPassed ÷ controls), where `controlsPassed` counts negative controls that passed and so
 * should not have. All counts are whole numbers ≥ 0; `total` ≥ 1.
 */
export function scoreOf(counts: {
  passed: number
  total: number
  controlsPassed: number
  controls: number
}): number {
  const cost = counts.controls === 0 ? 0 : counts.controlsPassed / counts.controls
  return Math.max(0, counts.passed / counts.total - cost)
}

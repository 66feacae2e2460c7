import { z } from 'zod'
import { RunId, Sha256, Timestamp } from '../base/ids.ts'
import { Grade, Isolation } from './grade.ts'
import { ReplicaHealth } from './replica.ts'
import { graderKinds } from './suite.ts'

/** Limits of the HTTP API; a request past one is answered 413 before anything is executed. */
export const apiLimits = { bodyBytes: 256 * 1024, batchItems: 4096, requestBytes: 64 * 1024 * 1024 } as const

/** Exactly one of `body` and `completion`: a completion is extracted first, by the verifier, so that every trainer extracts alike. */
export const GradeItem = z
  .object({
    id: z.string().min(1).max(300),
    task: z.string(),
    body: z.string().optional(),
    completion: z.string().optional(),
  })
  .refine((item) => (item.body === undefined) !== (item.completion === undefined), {
    message: 'needs exactly one of body and completion',
  })
export type GradeItem = z.infer<typeof GradeItem>

export const GradeRequest = z.object({
  run: z.union([RunId, z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/)]),
  items: z.array(GradeItem).min(1),
  deadlineMs: z.number().positive().optional(),
})
export type GradeRequest = z.infer<typeof GradeRequest>

export const VerifierHealth = z.object({
  ready: z.boolean(),
  version: z.string(),
  grader: z.enum(graderKinds),
  isolation: Isolation,
  isolationDetail: z.string(),
  /** The least level that its operator wants; below it nothing is graded. Absent from older verifiers. */
  isolationRequired: Isolation.nullable().optional(),
  /** Why it is not ready, where it is not. */
  notReady: z.string().nullable().optional(),
  /** How far the filling of caches is, while it goes on; null before and after. */
  warming: z.object({ phase: z.string(), done: z.number(), total: z.number() }).nullable().optional(),
  suite: z.object({ name: z.string(), version: z.string(), sha256: Sha256 }),
  commit: z.string().nullable(),
  /** New at every start of the process: a restart is seen even where it was quick. */
  instance: z.string(),
  startedAt: Timestamp,
  workers: z.array(
    z.object({
      slot: z.number().int(),
      cache: z.enum(['warm', 'cold']),
      task: z.string().nullable(),
      ageMs: z.number().nullable(),
    }),
  ),
  queue: z.number().int(),
  /** Where this one only passes bodies on: to whom. */
  replicas: z.array(ReplicaHealth).optional(),
  graded: z.number().int(),
  executed: z.number().int(),
  /** Waits for a lock on a build folder, since the start; absent where the grader keeps none. */
  lockWaits: z.number().int().optional(),
  disk: z.object({ usedBytes: z.number(), limitBytes: z.number().nullable() }),
})
export type VerifierHealth = z.infer<typeof VerifierHealth>

export const TaskListing = z.object({
  id: z.string(),
  prompt: z.string(),
  signature: z.string(),
  tests: z.array(z.string()),
})
export type TaskListing = z.infer<typeof TaskListing>

/**
 * Everything behind one grade, content-addressed by the sha256 of its canonical JSON. It is about a body and a suite, not about an id:
 * identical bodies share it, and `execution.id` counts how often something really ran.
 */
export const Evidence = z.object({
  v: z.literal(1),
  task: z.string(),
  /** The body as executed; null where none could be taken, and then `completion` is what was looked at. */
  body: z.string().nullable(),
  completion: z.string().nullable(),
  /** `evidenceSha256` is null inside: it is the name of this very object. */
  grade: Grade,
  execution: z.object({ id: z.string(), startedAt: Timestamp, finishedAt: Timestamp }).nullable(),
  /** Compiler's, test's and body's own output, each cut at `limitBytes` with what was cut said in `cutBytes`. */
  output: z.array(
    z.object({
      name: z.string(),
      text: z.string(),
      cutBytes: z.number().int(),
      limitBytes: z.number().int(),
    }),
  ),
})
export type Evidence = z.infer<typeof Evidence>

export const ControlResult = z.object({
  task: z.string(),
  control: z.string(),
  expected: z.string(),
  got: z.string(),
  holds: z.boolean(),
  ms: z.number().nullable().default(null),
})
export type ControlResult = z.infer<typeof ControlResult>

export const ControlsReport = z.object({
  tasks: z.number().int(),
  controls: z.array(ControlResult),
  holds: z.boolean(),
})
export type ControlsReport = z.infer<typeof ControlsReport>

export const ApiError = z.object({ code: z.string(), message: z.string(), retryable: z.boolean() })

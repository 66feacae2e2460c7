import { z } from 'zod'
import { RolloutId, RunId, Sha256, Timestamp } from '../base/ids.ts'
import { Extraction, Grade } from '../domain/grade.ts'
import { outcomes } from '../domain/run.ts'
import { KubeMark } from '../kube/marks.ts'

const bytes = z.number().nullable()
const common = { v: z.literal(1), seq: z.number().int().min(0), at: Timestamp, run: RunId }

/** One event type: the common fields, its name, its own. Unknown fields are dropped here and kept in the raw line (see `decodeLine`). */
const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ ...common, type: z.literal(type), ...shape })

export const RewardComponents = z.record(z.string(), z.number().nullable())

/** Of one moment. `utilisation` is a share, 0 to 1; what a device does not tell is null. */
const devices = z.array(
  z.object({
    name: z.string(),
    usedBytes: bytes,
    totalBytes: bytes,
    reservedBytes: bytes,
    peakBytes: bytes,
    utilisation: z.number().nullable(),
    temperatureC: z.number().nullable(),
    powerW: z.number().nullable(),
  }),
)

export const RunEvent = z.discriminatedUnion('type', [
  event('run.started', {
    spec: z.record(z.string(), z.unknown()),
    specSha256: Sha256,
    host: z.string(),
    versions: z.record(z.string(), z.string()),
    seed: z.number().int(),
  }),
  /** The same run goes on in a new process; `seq` continues. */
  event('run.resumed', {
    host: z.string(),
    versions: z.record(z.string(), z.string()),
    fromStep: z.number().int(),
  }),
  event('stage.started', { stage: z.string() }),
  event('stage.finished', { stage: z.string(), outcome: z.enum(outcomes) }),
  event('step.started', {
    step: z.number().int(),
    prompts: z.array(z.string()),
    groupSize: z.number().int(),
  }),
  event('rollout.generated', {
    rollout: RolloutId,
    step: z.number().int().nullable(),
    group: z.number().int().nullable(),
    index: z.number().int(),
    task: z.string(),
    completionSha256: Sha256,
    tokens: z.number().int().nullable(),
    truncated: z.boolean(),
  }),
  event('rollout.graded', {
    rollout: RolloutId,
    grade: Grade,
    extraction: Extraction.nullable(),
    /** Weighted contributions by name (`tests`, `format`, …); every one is null where the grade is silent. */
    components: RewardComponents,
    total: z.number().nullable(),
    advantage: z.number().nullable(),
  }),
  event('step.finished', {
    step: z.number().int(),
    loss: z.number().nullable(),
    gradNorm: z.number().nullable(),
    kl: z.number().nullable(),
    entropy: z.number().nullable(),
    lr: z.number().nullable(),
    parameterDelta: z.number().nullable(),
    rewardMean: z.number().nullable(),
    rewardStd: z.number().nullable(),
    /** Groups whose rewards were all equal and so gave no gradient, of `groups`; null where a trainer does not tell. */
    silentGroups: z.number().int().nullable(),
    groups: z.number().int().nullable(),
    /** Advantage of every rollout of the step, by id, as the trainer used it. */
    advantages: z.record(z.string(), z.number()),
    stepMs: z.object({ generate: z.number(), grade: z.number(), update: z.number() }).nullable(),
  }),
  /** One update of a stage that trains on a file; `loss` in nats a token, or the stage's own (DPO, KTO). */
  event('stage.step', {
    stage: z.string(),
    step: z.number().int(),
    loss: z.number().nullable(),
    gradNorm: z.number().nullable(),
    lr: z.number().nullable(),
  }),
  event('memory', { devices }),
  event('verifier.blocked', { since: Timestamp, reason: z.string(), attempts: z.number().int() }),
  event('verifier.unblocked', { since: Timestamp, reason: z.string(), attempts: z.number().int() }),
  event('eval.started', { policy: z.string(), planned: z.number().int() }),
  event('eval.draw', {
    policy: z.string(),
    task: z.string(),
    drawSeed: z.number().int(),
    rollout: RolloutId,
    grade: Grade,
  }),
  event('eval.finished', {
    policy: z.string(),
    planned: z.number().int(),
    drawn: z.number().int(),
    passed: z.number().int(),
  }),
  event('checkpoint', {
    path: z.string(),
    step: z.number().int(),
    sha256: Sha256,
    holds: z.array(z.string()),
  }),
  event('alert', {
    code: z.string(),
    level: z.enum(['info', 'warning', 'error']),
    text: z.string(),
    evidence: z.unknown(),
  }),
  event('log', { stream: z.string(), text: z.string() }),
  event('run.finished', { outcome: z.enum(outcomes), reason: z.string().nullable() }),
])
export type RunEvent = z.infer<typeof RunEvent>
export type EventType = RunEvent['type']
export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>

/** An event as its writer gives it, before `v`, `seq`, `at` and `run` are put on. */
export type EventBody = RunEvent extends infer E
  ? E extends RunEvent
    ? Omit<E, 'v' | 'seq' | 'at' | 'run'>
    : never
  : never

/** An event of a type this version does not know: kept, and shown raw. */
export const ForeignEvent = z.looseObject({ ...common, type: z.string() })
export type ForeignEvent = z.infer<typeof ForeignEvent>

/**
 * What the console itself records about a run, in `console.jsonl` beside the mirrored journal, which stays byte for byte the box's own.
 * A re-grade is a new record and never overwrites the trainer's grade.
 */
export const ConsoleRecord = z.discriminatedUnion('type', [
  z.object({ at: Timestamp, type: z.literal('preflight'), rows: z.array(z.unknown()) }),
  z.object({
    at: Timestamp,
    type: z.literal('audit.graded'),
    bodySha256: Sha256,
    task: z.string(),
    grade: Grade,
  }),
  z.object({
    at: Timestamp,
    type: z.literal('verdict'),
    bodySha256: Sha256,
    verdict: z.enum(['right', 'wrong', 'unclear', 'cheating', 'test_at_fault']).nullable(),
    note: z.string(),
  }),
  /** What the operator calls a cluster of false acceptances; empty texts take the console's own words back. */
  z.object({
    at: Timestamp,
    type: z.literal('mechanism.named'),
    mechanism: z.string(),
    name: z.string(),
    description: z.string(),
  }),
  /** The smallest input on which a mechanism differs from the reference, and known bodies that answer every audit case as it does. */
  z.object({
    at: Timestamp,
    type: z.literal('mechanism.explained'),
    mechanism: z.string(),
    witness: z
      .object({ input: z.string(), expected: z.string(), observed: z.string().nullable() })
      .nullable(),
    like: z.array(z.string()),
  }),
  /** A new version of the training suite that came of an audit, and what it changes on the saved bodies. */
  z.object({ at: Timestamp, type: z.literal('suite.repaired'), report: z.unknown() }),
  /** Of the bodies that training accepted, the share that is audited from here on: those whose hash falls into it. */
  z.object({ at: Timestamp, type: z.literal('audit.sampled'), share: z.number().gt(0).max(1) }),
  /** A saved body graded once more by another suite, which the grade names. Its tests are in the evidence and not here. */
  z.object({
    at: Timestamp,
    type: z.literal('suite.graded'),
    bodySha256: Sha256,
    task: z.string(),
    origin: z.enum(['repaired', 'other']),
    grade: Grade,
  }),
  /** Null takes back what was said; an acknowledgement holds for the occurrence that `since` names. */
  z.object({
    at: Timestamp,
    type: z.literal('alarm.marked'),
    code: z.string(),
    mark: z.enum(['acknowledged', 'muted']).nullable(),
    since: z.string(),
  }),
  z.object({ at: Timestamp, type: z.literal('launched'), leases: z.array(z.string()) }),
  /** Something happened to the run's verifier in its cluster. */
  z.object({ at: Timestamp, type: z.literal('kube.mark'), mark: KubeMark }),
  /** What the console saw of the box's GPUs, beside what the trainer itself says of its memory. */
  z.object({ at: Timestamp, type: z.literal('memory'), devices }),
  /** The trainer is gone without `run.finished` in a journal that was read to its end. */
  z.object({ at: Timestamp, type: z.literal('interrupted'), reason: z.string() }),
  z.object({
    at: Timestamp,
    type: z.literal('torn_down'),
    released: z.array(z.string()),
    left: z.array(z.string()),
  }),
])
export type ConsoleRecord = z.infer<typeof ConsoleRecord>

import { z } from 'zod'
import { type AlarmCode, alarmCodes } from '../alarms/alarm.ts'
import { RolloutId, RunId, Sha256 } from '../base/ids.ts'
import type { Result } from '../base/result.ts'
import type { AdapterList, AdapterPlan } from '../domain/adapter.ts'
import type { Isolation, Status } from '../domain/grade.ts'
import type { TeardownReport } from '../domain/lease.ts'
import { type LogStream, logStreams } from '../domain/log-stream.ts'
import type { Outcome, RunSpec } from '../domain/run.ts'
import type { VerifierHealth } from '../domain/verifier.ts'
import type { Block, MemorySample, RunState } from '../journal/state.ts'
import { type AuditOutputs, auditInputs } from './audit.ts'
import { type BootstrapOutputs, bootstrapInputs } from './bootstrap.ts'
import { type BoxOutputs, boxInputs } from './boxes.ts'
import { type ClusterOutputs, clusterInputs } from './clusters.ts'
import type { LaunchOptions, PreflightReport, PreflightRow } from './launch.ts'
import type { RolloutDetail, RolloutPage } from './rollouts.ts'
import { type TaskOutputs, taskInputs } from './tasks.ts'

export type {
  AuditView,
  ConfusionRow,
  Mechanism,
  Queue,
  QueueName,
  RepairReport,
  StudyListing,
  StudyView,
  SuiteTable,
  TriageGroup,
  TriageList,
  TriageRow,
  Verdict,
} from './audit.ts'
export type { BoxView } from './boxes.ts'
export type { LaunchDraft, LaunchOptions, PreflightReport, PreflightRow, SuiteOption } from './launch.ts'
export type { CaseFacts, RolloutDetail, RolloutPage, RolloutRow } from './rollouts.ts'
export type { PassRate, TaskList, TaskPage, TaskRow, TaskSet } from './tasks.ts'

/** Which panels of Live there are, in whose order, and which one is enlarged; names are the panels' own, unknown ones are passed over. */
export const BoardSettings = z.object({
  order: z.array(z.string().max(40)).max(40).default([]),
  hidden: z.array(z.string().max(40)).max(40).default([]),
  large: z.string().max(40).nullable().default(null),
})
export type BoardSettings = z.infer<typeof BoardSettings>

/** What an hour of a box costs, as a person typed it. */
export const BoxRate = z.object({
  ratePerHour: z.number().min(0).max(1e6),
  currency: z.string().trim().min(1).max(8),
})
export type BoxRate = z.infer<typeof BoxRate>

/** What runs are compared by: fields of a step's row. */
export const compareMetrics = [
  'rewardMean',
  'passShare',
  'silentShare',
  'loss',
  'gradNorm',
  'kl',
  'entropy',
  'tokensMean',
  'gradeMsP95',
] as const
export type CompareMetric = (typeof compareMetrics)[number]

const alarmMark = z.enum(['acknowledged', 'muted']).nullable()

const rolloutSort = z.enum(['order', 'reward', 'audit', 'ms']).default('order')

/**
 * Everything the window can ask of the core, and everything the core tells the window. Inputs are parsed in the core whatever the shell;
 * replies are `Result`s. Adding a request here without a handler does not compile (see `Handlers`).
 */
export const inputs = {
  'app.info': z.object({}),
  'settings.get': z.object({}),
  'settings.set': z.object({
    theme: z.enum(['system', 'dark', 'light']).optional(),
    board: BoardSettings.optional(),
    notify: z.boolean().optional(),
    rates: z.record(z.string().max(200), BoxRate).optional(),
  }),
  'runs.list': z.object({}),
  'runs.state': z.object({ run: RunId }),
  /** Other trainers' files, by their paths on this machine, as one read-only run. */
  'runs.import': z.object({ files: z.array(z.string().min(1).max(4000)).min(1).max(1000) }),
  'runs.stop': z.object({ run: RunId, mode: z.enum(['after_step', 'abort']) }),
  ...boxInputs,
  ...clusterInputs,
  ...bootstrapInputs,
  'launch.options': z.object({}),
  /** A draft is checked field by field, so a half-filled form is an answer, not an error. */
  'launch.preflight': z.object({ draft: z.unknown() }),
  'launch.start': z.object({ draft: z.unknown() }),
  /** `afterSeq` is the `seq` of the last reply, or -1 for everything. */
  'live.since': z.object({ run: RunId, afterSeq: z.number().int() }),
  /** Null takes the mark away. An acknowledgement is of one occurrence, a mute of a code in this run. */
  'alarms.mark': z.object({
    run: RunId,
    code: z.enum(alarmCodes),
    mark: alarmMark,
    since: z.string().max(300),
  }),
  'compare.series': z.object({ runs: z.array(RunId).min(1).max(8), metric: z.enum(compareMetrics) }),
  'rollouts.page': z.object({
    run: RunId,
    filter: z.string().max(2000),
    sort: rolloutSort,
    cursor: z.string().nullable(),
    /** Rows to pass over after the cursor, so that a far jump in a long list is one request. */
    skip: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).max(1000),
  }),
  'rollouts.neighbour': z.object({
    run: RunId,
    filter: z.string().max(2000),
    sort: rolloutSort,
    rollout: RolloutId,
    direction: z.enum(['next', 'previous']),
  }),
  'rollouts.get': z.object({ rollout: RolloutId }),
  /** Of the run's right programs the one that differs from this rollout's body in the fewest tokens. */
  'rollouts.nearest': z.object({ rollout: RolloutId }),
  'evidence.get': z.object({ sha256: Sha256 }),
  ...auditInputs,
  ...taskInputs,
  'logs.read': z.object({
    run: RunId,
    stream: z.enum(logStreams),
    offset: z.number().int().min(0),
    limit: z
      .number()
      .int()
      .min(1)
      .max(1 << 20),
  }),
  'teardown.plan': z.object({ run: RunId }),
  'teardown.run': z.object({ run: RunId, confirm: z.array(z.string()) }),
  'adapters.list': z.object({ run: RunId }),
  'adapters.change': z.object({
    run: RunId,
    adapter: z.string().min(1).max(200),
    change: z.enum(['mark_good', 'mark_bad', 'unmark', 'roll_back']),
  }),
  /** What retiring these would delete. */
  'adapters.plan': z.object({ run: RunId, adapters: z.array(z.string().min(1).max(200)).min(1) }),
  /** Deletes what the plan of that name showed, and nothing where it has changed since. */
  'adapters.retire': z.object({
    run: RunId,
    adapters: z.array(z.string().min(1).max(200)).min(1),
    plan: Sha256,
  }),
  'export.rollouts': z.object({ run: RunId, filter: z.string().max(2000) }),
} as const

export type RequestName = keyof typeof inputs
export type Input<N extends RequestName> = z.infer<(typeof inputs)[N]>

export type AppInfo = {
  version: string
  shell: 'electron' | 'browser' | 'command'
  dataDir: string
  platform: string
  node: string
  python: { path: string; version: string } | null
  isolation: { level: Isolation; detail: string }
}

export type RunSummary = {
  run: string
  name: string
  suite: string
  auditSuite: string | null
  phase: RunState['phase']
  stage: string | null
  step: number | null
  planned: number | null
  outcome: Outcome | null
  startedAt: string | null
  lastAt: string | null
  rollouts: number
  byStatus: RunState['byStatus']
  nullRewards: number
  /** Accepted by the run's verifier and rejected by the audit, among the bodies audited so far; null where nothing was audited. */
  falseAcceptances: number | null
  audited: number
  /** The share of accepted bodies that the audit is asked for, 0 to 1: with every figure above that is not of all of them. */
  auditShare: number
  rewardMeans: (number | null)[]
  /** Full passes of the audit suite on the fixed draws, as `passed` of `graded`; null before. */
  passRateBefore: { passed: number; graded: number; planned: number } | null
  passRateAfter: { passed: number; graded: number; planned: number } | null
  /** Resources still held. */
  leases: number
  tornDown: boolean
}

/**
 * One mark in the reward strip, for a training rollout. `r` is null exactly where the grade is silent or still awaited; `a` is whether the audit
 * passes the same body, null where it has not said.
 */
export type LivePoint = {
  id: string
  step: number
  g: number
  i: number
  task: string
  s: Status | 'pending'
  r: number | null
  a: boolean | null
}

export type Heartbeat = {
  name: 'trainer' | 'verifier' | 'log'
  lastAt: string | null
  state: 'live' | 'quiet' | 'blocked' | 'ended' | 'lost'
  detail: string
}

/** What is kept for the person, whatever the run. */
export type UserSettings = {
  theme: 'system' | 'dark' | 'light'
  board: BoardSettings
  notify: boolean
  /** By box: `local`, or its id. A run whose spec has a rate of its own goes by that. */
  rates: Record<string, BoxRate>
}

export type AlarmMark = { code: AlarmCode; mark: 'acknowledged' | 'muted'; since: string; at: string }

/** One run's figures on the axes that runs can be laid over each other by. Columns of equal length; an unknown is null. */
export type CompareSeries = {
  run: string
  name: string
  spec: RunSpec | null
  step: number[]
  /** Training rollouts generated up to the end of the step. */
  rollouts: number[]
  /** From the run's start to the end of the step; null while it is open. */
  atMs: (number | null)[]
  value: (number | null)[]
}

/** What changed after a sequence number. Steps and points replace those of the same key; the window pulls, so it is never flooded. */
export type LiveDelta = {
  /** Where this reply ends, in a count of changes (grades, audits, samples) that only grows; opaque, and no journal `seq`. */
  seq: number
  /** Forget what was held: this reply starts from the beginning (the client was ahead, or the index was rebuilt). */
  reset: boolean
  /** The reply was cut to a bounded size: ask again at once with this `seq`. */
  more: boolean
  state: Omit<RunState, 'steps' | 'memory'>
  steps: RunState['steps']
  points: LivePoint[]
  memory: MemorySample[]
  blocks: Block[]
  /** Training rollouts that the verifier accepts and the audit rejects, in all of the run: points tell only of the latest steps. */
  falseAccepted: { count: number; firstStep: number | null }
  /**
   * What the audit says of steps from before the points: in a reply that starts from the beginning, and empty in others. Passed of judged, over bodies
   * that were audited.
   */
  judged: { step: number; passed: number; judged: number }[]
  /** What a person said of alarms; the whole of it. */
  alarmMarks: AlarmMark[]
  heartbeats: Heartbeat[]
  verifier: VerifierHealth | null
  now: string
}

export type LogChunk = {
  bytesBase64: string
  offset: number
  end: number
  size: number
  lastAt: string | null
}

export type Outputs = BoxOutputs &
  TaskOutputs &
  ClusterOutputs &
  BootstrapOutputs &
  AuditOutputs & {
    'app.info': AppInfo
    'settings.get': UserSettings
    'settings.set': UserSettings
    'alarms.mark': { recorded: true }
    'compare.series': CompareSeries[]
    'runs.list': RunSummary[]
    'runs.state': { state: RunState; summary: RunSummary; spec: RunSpec }
    'runs.import': { run: string; from: string; steps: number; rollouts: number; notes: string[] }
    'runs.stop': { requested: true }
    'launch.options': LaunchOptions
    'launch.preflight': PreflightReport
    'launch.start': { run: string }
    'live.since': LiveDelta
    'rollouts.page': RolloutPage
    'rollouts.neighbour': { rollout: string | null; position: number | null; total: number }
    'rollouts.get': RolloutDetail
    /** `compared` of the `right` ones; null where there is none, or no body to compare with. */
    'rollouts.nearest': {
      rollout: string
      body: string
      distance: number
      compared: number
      right: number
    } | null
    'evidence.get': { json: string }
    'logs.read': LogChunk
    'teardown.plan': TeardownReport
    'teardown.run': TeardownReport
    'adapters.list': AdapterList
    'adapters.change': AdapterList
    'adapters.plan': AdapterPlan
    'adapters.retire': AdapterList & { freedBytes: number }
    'export.rollouts': { jsonl: string; rows: number }
  }

/** Told to the window without being asked. Small on purpose: they say that something changed, and the window pulls what it shows. */
export type BridgeEvents = {
  'runs.changed': Record<string, never>
  /** A box was added or removed, or its link changed. */
  'boxes.changed': { box: string }
  /** Something about the run's verifier in its cluster, or a cluster's switch (`run` null). */
  'clusters.changed': { run: string | null }
  /** An interactive shell wrote something, or ended. */
  'shell.advanced': { shell: string }
  'run.advanced': { run: string; seq: number }
  'preflight.row': { row: PreflightRow }
  'audit.advanced': { run: string }
  'log.advanced': { run: string; stream: LogStream; size: number }
  'teardown.row': { run: string; label: string; state: 'releasing' | 'released' | 'left' }
  'core.lost': { reason: string }
  /** Reached again after `core.lost`; what was shown before may be stale. */
  'core.back': Record<string, never>
}
export type EventName = keyof BridgeEvents

const everyEvent: Record<EventName, true> = {
  'runs.changed': true,
  'boxes.changed': true,
  'clusters.changed': true,
  'shell.advanced': true,
  'run.advanced': true,
  'preflight.row': true,
  'audit.advanced': true,
  'log.advanced': true,
  'teardown.row': true,
  'core.lost': true,
  'core.back': true,
}
/** At run time, for the shells, which pass every event on. */
export const eventNames = Object.keys(everyEvent) as EventName[]

/** The one object through which a window reaches the core, whatever lies between them. */
export type Bridge = {
  request<N extends RequestName>(name: N, input: z.input<(typeof inputs)[N]>): Promise<Result<Outputs[N]>>
  on<E extends EventName>(name: E, listener: (payload: BridgeEvents[E]) => void): () => void
}

/** One handler a request; a missing one does not compile. */
export type Handlers = { [N in RequestName]: (input: Input<N>) => Outputs[N] | Promise<Outputs[N]> }

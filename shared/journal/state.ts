import type { Status } from '../domain/grade.ts'
import type { Outcome, RunSpec } from '../domain/run.ts'

export type StatusCounts = Partial<Record<Status, number>>

/** Roll-up of one training step: all that the charts of a step need, whatever its number of rollouts. */
export type StepRow = {
  step: number
  startedAt: string | null
  finishedAt: string | null
  prompts: string[]
  generated: number
  byStatus: StatusCounts
  /** Over graded rollouts only; null where none is graded. */
  rewardMean: number | null
  rewardStd: number | null
  /** Least and greatest reward of the verifier, shaping apart: what stands for marks where they are too many to draw. */
  rewardMin: number | null
  rewardMax: number | null
  /** Mean of each component over the rollouts that have it. */
  components: Record<string, number | null>
  /**
   * How much of the spread of the total each component carries: cov(component, total) ÷ var(total), which sums to 1 over the components.
   * Null where the totals have no spread. Shaping whose share is large is what the policy learns from.
   */
  spreadShares: Record<string, number | null>
  silentGroups: number | null
  /** Of the silent groups, those in which every rollout passed, and those in which none earned anything. */
  allPassGroups: number
  allFailGroups: number
  groups: number | null
  loss: number | null
  gradNorm: number | null
  kl: number | null
  entropy: number | null
  lr: number | null
  parameterDelta: number | null
  stepMs: { generate: number; grade: number; update: number } | null
  tokensMean: number | null
  truncated: number
  /** Median and 95th percentile of build + test time over the step's executed grades, ms. */
  gradeMsP50: number | null
  gradeMsP95: number | null
  /** 95th percentile of the time that bodies waited for a worker, ms; null where no verifier told. */
  queueMsP95: number | null
  /** Grades that met a cold build folder. */
  coldGrades: number
  /** By task: full passes, of the rollouts with a grade that says something. */
  tasks: Record<string, { passed: number; graded: number }>
  /** Rollouts with a body, and how many bodies those are; a policy that says one thing only has collapsed. */
  bodies: number
  distinctBodies: number
  /** When the last grade of the step came, and the one rollout that is still without any; null where none or several are. */
  lastGradeAt: string | null
  waitsFor: string | null
}

export type EvalRow = {
  policy: string
  planned: number
  drawn: number
  /** Full passes by the run's verifier. */
  passed: number
  byStatus: StatusCounts
  finished: boolean
}

export type StageRow = {
  stage: string
  startedAt: string
  finishedAt: string | null
  outcome: Outcome | null
}

export type Block = {
  since: string
  until: string | null
  reason: string
  attempts: number
  step: number | null
}

export type MemorySample = {
  at: string
  devices: {
    name: string
    usedBytes: number | null
    totalBytes: number | null
    reservedBytes: number | null
    peakBytes: number | null
    utilisation: number | null
    temperatureC: number | null
    powerW: number | null
  }[]
}

/** Something wrong with the journal itself; never fatal, always shown. */
export type JournalFault =
  | { kind: 'corrupt'; offset: number; reason: string }
  | { kind: 'gap'; offset: number; expected: number; got: number }
  | { kind: 'repeat'; offset: number; seq: number }

/** The state of a run, as one pure function of its journal. */
export type RunState = {
  run: string | null
  spec: RunSpec | null
  /** Of a run that was read from another trainer's files, what it is called and whose it is. */
  imported: { name: string; from: string } | null
  specSha256: string | null
  host: string | null
  versions: Record<string, string>
  seed: number | null
  startedAt: string | null
  lastAt: string | null
  lastSeq: number
  phase: 'pending' | 'running' | 'blocked' | 'finished'
  stage: string | null
  stages: StageRow[]
  step: number | null
  planned: number | null
  steps: StepRow[]
  evals: EvalRow[]
  blocks: Block[]
  memory: MemorySample[]
  checkpoints: { path: string; step: number; sha256: string; at: string }[]
  alerts: { at: string; code: string; level: 'info' | 'warning' | 'error'; text: string }[]
  /** Training rollouts only; evaluation draws are counted in `evals`. */
  rollouts: number
  byStatus: StatusCounts
  foreign: number
  faults: JournalFault[]
  outcome: Outcome | null
  reason: string | null
}

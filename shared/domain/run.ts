import { z } from 'zod'
import { RunId, Sha256 } from '../base/ids.ts'
import { ClusterPlacement } from './placement.ts'
import { SelectionSpec } from './selection.ts'

/** As a person names it: `repo` a folder of this machine, `commit` anything that git takes for one. */
export const SourceDraft = z.object({
  repo: z.string().trim().min(1, 'name the folder of a repository'),
  commit: z.string().trim().min(1, 'name a commit'),
})
export type SourceDraft = z.infer<typeof SourceDraft>

/** The code that bodies of a suite are put into, on the machine that launches the run. */
export const SuiteSource = z.discriminatedUnion('kind', [
  /** A commit of a repository, by its full hash. */
  z.object({
    kind: z.literal('commit'),
    repo: z.string().min(1),
    commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  }),
  /** A plain folder, of which the suite itself says what its content hashes to. */
  z.object({ kind: z.literal('folder'), folder: z.string().min(1) }),
])
export type SuiteSource = z.infer<typeof SuiteSource>

const suiteRef = z.object({
  /** Folder of the suite on the machine that launches the run. */
  path: z.string().min(1),
  name: z.string(),
  version: z.string(),
  sha256: Sha256,
  /** Absent for a suite whose bodies are programs of their own. */
  source: SuiteSource.optional(),
})
export type SuiteRef = z.infer<typeof suiteRef>

/** The embedded trainer's knobs. Groups are `groupSize` completions of one prompt; a step has `groupsPerStep` groups. */
export const SketchTrainerSpec = z.object({
  kind: z.literal('sketch'),
  seed: z.number().int().min(0),
  updates: z.number().int().min(0).max(100_000),
  groupSize: z.number().int().min(2).max(64).default(4),
  groupsPerStep: z.number().int().min(1).max(1024).default(8),
  learningRate: z.number().positive().default(1.5),
  clip: z.number().positive().default(0.2),
  /** Fixed draws of the baseline and of the final evaluation, each. */
  evalDraws: z.number().int().min(0).max(100_000).default(128),
  /** Weights of the shaping components beside `tests`, whose weight is 1. */
  shaping: z.record(z.string(), z.number().min(0).max(1)).default({}),
  /** Pause between steps, in ms: for a demonstration that a person can follow. */
  paceMs: z.number().int().min(0).default(0),
  selection: SelectionSpec.optional(),
})
export type SketchTrainerSpec = z.infer<typeof SketchTrainerSpec>

/** In the order in which a pipeline usually runs them. `baseline` and `final_eval` measure; the others train. */
export const stageNames = ['baseline', 'cpt', 'sft', 'dpo', 'kto', 'grpo', 'recovery', 'final_eval'] as const
export type StageName = (typeof stageNames)[number]

/** What must hold for a stage to go on; see the trainer's `gates.py` for what each limit means. */
const gates = z.object({
  /** The first loss may not exceed this, in nats a token. */
  firstLossLimit: z.number().positive().default(6),
  /** Later losses may not exceed this many times the first. */
  laterFactor: z.number().positive().default(3),
  gradNormLimit: z.number().positive().default(10_000),
})

export const PipelineStage = z.object({
  stage: z.enum(stageNames),
  /** JSONL file on the box, for a stage that trains on one. */
  data: z.string().nullable().default(null),
  epochs: z.number().positive().default(1),
  maxSteps: z.number().int().positive().nullable().default(null),
  /** Null: the trainer's own, `learningRate` beside `stages`. */
  learningRate: z.number().positive().nullable().default(null),
  /** Records a step, over all devices. */
  batchSize: z.number().int().min(1).default(8),
  gates: gates.prefault({}),
})
export type PipelineStage = z.infer<typeof PipelineStage>

/** The Python trainer's knobs. Those that the embedded trainer has as well bear the same names and mean the same. */
export const PipelineTrainerSpec = z.object({
  kind: z.literal('pipeline'),
  /** `stand_in` trains a toy policy without any library, to try the whole without a GPU; it is labelled as such everywhere. */
  backend: z.enum(['trl', 'stand_in']),
  /** Interpreter on the box, of a bootstrapped environment for example; null: the box’s own `python3`. */
  python: z.string().min(1).nullable().default(null),
  seed: z.number().int().min(0),
  stages: z.array(PipelineStage).min(1),
  /** Why `baseline` or `final_eval` is not among the stages, typed by the operator. */
  leftOut: z.partialRecord(z.enum(['baseline', 'final_eval']), z.string().trim().min(8)).default({}),
  updates: z.number().int().min(0).max(100_000),
  groupSize: z.number().int().min(2).max(64).default(4),
  groupsPerStep: z.number().int().min(1).max(1024).default(8),
  learningRate: z.number().positive().default(1e-5),
  evalDraws: z.number().int().min(0).max(100_000).default(128),
  shaping: z.record(z.string(), z.number().min(0).max(1)).default({}),
  paceMs: z.number().int().min(0).default(0),
  selection: SelectionSpec.optional(),
  /** `base` is a folder on the box or a name in its model cache; null for the stand-in. */
  model: z
    .object({ base: z.string().min(1), revision: z.string().nullable() })
    .nullable()
    .default(null),
  /** Folder of an adapter on the box, of another run for example, that the first stage starts from; null: the base model alone. */
  adapter: z.string().min(1).nullable().default(null),
  lora: z
    .object({
      rank: z.number().int().min(1).default(16),
      alpha: z.number().positive().default(32),
      dropout: z.number().min(0).max(1).default(0),
      targets: z.array(z.string()).nullable().default(null),
    })
    .prefault({}),
  limits: z
    .object({
      promptTokens: z.number().int().min(1).default(1024),
      completionTokens: z.number().int().min(1).default(512),
      /** Sequences in one forward and backward pass on one device. */
      microBatch: z.number().int().min(1).default(4),
      /** Kept free on each device when the run is measured before its first step. */
      reserveBytes: z
        .number()
        .int()
        .min(0)
        .default(2 ** 30),
    })
    .prefault({}),
  /** Steps between two checkpoints; what lies after the last one is repeated from the saved completions and grades. */
  checkpointEvery: z.number().int().min(1).default(1),
  /** How long a silent verifier is waited for before the trainer ends with exit code 75. */
  blockDeadlineS: z.number().positive().default(3600),
  /** Processes on the box, one a GPU, started by `accelerate launch` where more than one. */
  processes: z.number().int().min(1).max(64).default(1),
  /** Address of a vLLM server that samples, or null: the trainer samples itself. */
  vllmServer: z.string().nullable().default(null),
  /** What the box costs, as typed by its user; null: no meter. */
  cost: z
    .object({ ratePerHour: z.number().min(0), currency: z.string().min(1).max(8) })
    .nullable()
    .default(null),
})
export type PipelineTrainerSpec = z.infer<typeof PipelineTrainerSpec>

/** Of a pipeline, what is not already among the knobs that every trainer has. */
export const PipelineDraft = PipelineTrainerSpec.omit({
  kind: true,
  seed: true,
  updates: true,
  groupSize: true,
  groupsPerStep: true,
  learningRate: true,
  evalDraws: true,
  shaping: true,
  selection: true,
  paceMs: true,
})
export type PipelineDraft = z.infer<typeof PipelineDraft>

/** Any program as a trainer: what it is told, and what it may tell, stands in `resources/supervisor/command.sh`. */
export const CommandDraft = z.object({
  /** Program and arguments, on the box. */
  argv: z.array(z.string().max(10_000)).min(1).max(200),
  /** Whether it writes the run's journal itself; else the console knows only its beginning, its end and its log. */
  ownJournal: z.boolean().default(false),
})
export type CommandDraft = z.infer<typeof CommandDraft>

/** The knobs are those that every trainer has; the command finds them in the spec, and may heed them or not. */
export const CommandTrainerSpec = SketchTrainerSpec.omit({ kind: true, clip: true }).extend({
  kind: z.literal('command'),
  ...CommandDraft.shape,
})
export type CommandTrainerSpec = z.infer<typeof CommandTrainerSpec>

export const TrainerSpec = z.discriminatedUnion('kind', [
  SketchTrainerSpec,
  PipelineTrainerSpec,
  CommandTrainerSpec,
])
export type TrainerSpec = z.infer<typeof TrainerSpec>

/** How a box reaches the run's verifier on the launching machine. */
export const VerifierReach = z.discriminatedUnion('kind', [
  /** A reverse forward from a loopback port of the box. */
  z.object({ kind: z.literal('tunnel') }),
  /** Over a network that both are in: the verifier listens at `address` of the launching machine, and the box's hosts file says that `name` is there. */
  z.object({
    kind: z.literal('mesh'),
    name: z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i, 'a host name'),
    address: z.union([z.ipv4(), z.ipv6()], 'an address of this machine'),
  }),
])
export type VerifierReach = z.infer<typeof VerifierReach>

/** Where a run trains: the launching machine itself, or a box behind SSH, whose verifier then answers on the launching machine through a tunnel. */
export const RunBoxSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local') }),
  z.object({
    kind: z.literal('ssh'),
    /** The box's id among the console's boxes. */
    box: z.string().min(1),
    /** As a person named it: an alias of the SSH configuration, or `user@host:port`. */
    target: z.string().min(1),
    /** Folder of everything of the console's on the box, absolute. */
    root: z.string().min(1),
    reach: VerifierReach.default({ kind: 'tunnel' }),
  }),
])
export type RunBoxSpec = z.infer<typeof RunBoxSpec>

/** What one run is, frozen when it starts. Its sha256 is over its canonical JSON (keys sorted, no white space). */
export const RunSpec = z.object({
  v: z.literal(1),
  name: z.string().min(1).max(120),
  run: RunId,
  box: RunBoxSpec,
  suite: suiteRef,
  /** Kept apart from training; grades finished bodies and evaluation draws for the operator, never for the reward. */
  audit: suiteRef.nullable(),
  verifier: z.object({
    workers: z.number().int().min(1).max(64).default(2),
    /** Where bodies are executed; absent: on the launching machine. */
    placement: ClusterPlacement.optional(),
  }),
  trainer: TrainerSpec,
  /** Typed by the operator who launched although the grader's controls were skipped or failed; kept for ever. */
  overrides: z.array(z.object({ check: z.string(), reason: z.string().min(8) })).default([]),
})
export type RunSpec = z.infer<typeof RunSpec>

/** The spec of a run that the embedded trainer can carry out. */
export const SketchRunSpec = RunSpec.extend({ trainer: SketchTrainerSpec })
export type SketchRunSpec = z.infer<typeof SketchRunSpec>

export const outcomes = ['completed', 'stopped', 'failed', 'interrupted'] as const
export type Outcome = (typeof outcomes)[number]

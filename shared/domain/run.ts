import { z } from 'zod'
import { RunId, Sha256 } from '../base/ids.ts'

const suiteRef = z.object({
  /** Folder of the suite on the machine that launches the run. */
  path: z.string().min(1),
  name: z.string(),
  version: z.string(),
  sha256: Sha256,
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
})
export type SketchTrainerSpec = z.infer<typeof SketchTrainerSpec>

/** What one run is, frozen when it starts. Its sha256 is over its canonical JSON (keys sorted, no white space). */
export const RunSpec = z.object({
  v: z.literal(1),
  name: z.string().min(1).max(120),
  run: RunId,
  box: z.object({ kind: z.literal('local') }),
  suite: suiteRef,
  /** Kept apart from training; grades finished bodies and evaluation draws for the operator, never for the reward. */
  audit: suiteRef.nullable(),
  verifier: z.object({ workers: z.number().int().min(1).max(64).default(2) }),
  trainer: SketchTrainerSpec,
  /** Typed by the operator who launched although the grader's controls were skipped or failed; kept for ever. */
  overrides: z.array(z.object({ check: z.string(), reason: z.string().min(8) })).default([]),
})
export type RunSpec = z.infer<typeof RunSpec>

export const outcomes = ['completed', 'stopped', 'failed', 'interrupted'] as const
export type Outcome = (typeof outcomes)[number]

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { canonicalJson } from '#shared/base/canonical.ts'
import type { RandomState } from '#shared/grpo/random.ts'
import type { Parameters } from './policy/policy.ts'
import type { OptimizerState } from './policy/update.ts'
import { type RunFolder, sha256, writeAtomically } from './run-folder.ts'

/** All that the next step depends on. */
export type TrainerState = {
  /** The last finished update; 0 before the first. */
  step: number
  parameters: Parameters
  optimizer: OptimizerState
  generator: RandomState
}

const word = z.number().int().min(0).max(0xffffffff)
export const GeneratorState = z.tuple([word, word, word, word]).readonly()

const logits = z.record(z.string(), z.array(z.number()))

const Checkpoint = z.object({
  v: z.literal(1),
  run: z.string(),
  step: z.number().int().min(0),
  parameters: logits,
  parametersSha256: z.string(),
  optimizer: z.object({ velocity: logits }),
  generator: GeneratorState,
})

export const checkpointHolds = ['parameters', 'optimizer', 'generator']

/** Over the canonical JSON of the logits: equal parameters, equal hash, on every machine. */
export const parametersSha256 = (parameters: Parameters): string => sha256(canonicalJson(parameters))

export function saveCheckpoint(folder: RunFolder, run: string, state: TrainerState): void {
  const { step, parameters, optimizer, generator } = state
  const hash = parametersSha256(parameters)
  const file = { v: 1, run, step, parameters, parametersSha256: hash, optimizer, generator }
  writeAtomically(folder.checkpoint(step), `${JSON.stringify(file, null, 1)}\n`)
}

/** The state saved after `step`, or null where the file is missing, of another run or damaged: an earlier one then serves. */
export function loadCheckpoint(folder: RunFolder, run: string, step: number): TrainerState | null {
  try {
    const file = Checkpoint.parse(JSON.parse(readFileSync(folder.checkpoint(step), 'utf8')))
    const fits = file.run === run && file.step === step
    if (!fits || parametersSha256(file.parameters) !== file.parametersSha256) return null
    const { parameters, optimizer, generator } = file
    return { step, parameters, optimizer, generator }
  } catch {
    return null
  }
}

/** Whether a checkpoint is of a policy with these holes; one that another version of the trainer wrote may not be. */
export const sameHoles = (a: Parameters, b: Parameters): boolean => shapeOf(a) === shapeOf(b)

const shapeOf = (parameters: Parameters): string =>
  Object.entries(parameters)
    .map(([hole, row]) => `${hole}:${row.length}`)
    .join()

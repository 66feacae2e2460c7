import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { RolloutId, Sha256 } from '#shared/base/ids.ts'
import type { EventBody } from '#shared/journal/events.ts'
import { GeneratorState } from './checkpoint.ts'
import { type RunFolder, readCompletion, syncCompletions, writeAtomically } from './run-folder.ts'

const Decision = z.object({
  hole: z.string(),
  option: z.number().int().min(0),
  logProb: z.number(),
})

const BatchRollout = z.object({
  rollout: RolloutId,
  group: z.number().int().nullable(),
  index: z.number().int(),
  task: z.string(),
  completionSha256: Sha256,
  tokens: z.number().int(),
  truncated: z.boolean(),
  decisions: z.array(Decision),
})
export type BatchRollout = z.infer<typeof BatchRollout>

/**
 * Everything generated at once and not yet all graded: the groups of a step, or the draws of an evaluation. It is saved before a verifier hears
 * of it, so that neither a silent verifier nor a crash ever makes the policy draw again.
 */
const Batch = z.object({
  v: z.literal(1),
  /** `step/3` or `eval/final`. */
  key: z.string(),
  rollouts: z.array(BatchRollout),
  /** The generator's state after the draws; null where they have generators of their own. */
  generatorAfter: GeneratorState.nullable(),
})
export type Batch = z.infer<typeof Batch>

/** Saves a batch; the completions that it names are durable first. */
export function savePending(folder: RunFolder, batch: Batch): void {
  syncCompletions(folder)
  writeAtomically(folder.pending, `${JSON.stringify(batch)}\n`)
}

/** The saved batch of that key with all of its completions, or null where there is none (or it cannot be read in full). */
export function loadPending(folder: RunFolder, key: string): Batch | null {
  try {
    const batch = Batch.parse(JSON.parse(readFileSync(folder.pending, 'utf8')))
    const whole = batch.rollouts.every((one) => readCompletion(folder, one.completionSha256) !== null)
    return batch.key === key && whole ? batch : null
  } catch {
    return null
  }
}

export const generatedEvents = (batch: Batch, step: number | null): EventBody[] =>
  batch.rollouts.map((one) => ({
    type: 'rollout.generated',
    rollout: one.rollout,
    step,
    group: one.group,
    index: one.index,
    task: one.task,
    completionSha256: one.completionSha256,
    tokens: one.tokens,
    truncated: one.truncated,
  }))

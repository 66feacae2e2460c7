import { z } from 'zod'
import { Sha256 } from '../base/ids.ts'

/** One checkpoint that a stage ended with, and what made it. As the trainer's `adapters_main.py` tells it. */
export const AdapterRow = z.object({
  id: z.string(),
  stage: z.string(),
  step: z.number().int(),
  /** The one in use when its stage began. */
  parent: z.string().nullable(),
  /** From the run's folder on. */
  path: z.string(),
  sha256: Sha256,
  bytes: z.number().int(),
  /** Full passes of the graded held-out draws; partial where fewer were graded than planned, and then comparable with nothing. */
  heldOut: z
    .object({
      passed: z.number().int(),
      graded: z.number().int(),
      planned: z.number().int(),
      partial: z.boolean(),
    })
    .nullable(),
  mark: z.enum(['good', 'bad']).nullable(),
  /** Its files were deleted on purpose; the record stays. */
  retired: z.boolean(),
  present: z.boolean(),
})
export type AdapterRow = z.infer<typeof AdapterRow>

export const AdapterList = z.object({
  /** What the next stage would start from. */
  current: z.string().nullable(),
  adapters: z.array(AdapterRow),
  diskBytes: z.number().int(),
})
export type AdapterList = z.infer<typeof AdapterList>

export const AdapterPlan = z.object({
  /** Names this very content; a retirement must give it. */
  plan: Sha256,
  adapters: z.array(AdapterRow),
  bytes: z.number().int(),
})
export type AdapterPlan = z.infer<typeof AdapterPlan>

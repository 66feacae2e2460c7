import { z } from 'zod'

/** One saved evaluation draw of a study: figures only. Scores are counts of cases passed. */
export const StudyDraw = z.object({
  draw: z.string(),
  /** Training seed of the policy; null for a baseline that all arms share. */
  seed: z.string().nullable(),
  arm: z.string(),
  update: z.number().int().min(0),
  /** Hash of the program; null where no program could be taken from the completion. */
  source: z.string().nullable(),
  syntaxValid: z.boolean(),
  tokens: z.number().int().nullable(),
  hitTokenCap: z.boolean(),
  inclusiveSignature: z.boolean(),
  verifiers: z.record(z.string(), z.number().int().min(0)),
  audit: z.number().int().min(0),
})
export type StudyDraw = z.infer<typeof StudyDraw>

/** `study.json` beside a table of draws: where the figures come from, and how many cases each suite has. */
export const StudyManifest = z.object({
  title: z.string(),
  source: z.string(),
  cases: z.record(z.string(), z.number().int().positive()),
})
export type StudyManifest = z.infer<typeof StudyManifest>

export type Study = { title: string; source: string; cases: Record<string, number>; draws: StudyDraw[] }

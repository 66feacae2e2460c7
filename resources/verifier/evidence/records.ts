import { z } from 'zod'
import { Sha256, Timestamp } from '#shared/base/ids.ts'
import { Extraction } from '#shared/domain/grade.ts'

/**
 * One line of `executions.jsonl`. `started` is on the disk before a body is handed to the grader; `finished` after its evidence is; `silent`
 * says that the grader came to no grade. A `started` without either was cut by the end of the process.
 */
export const ExecutionRecord = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('started'),
    execution: z.string(),
    /** What was to be executed: suite, commit, task and body in one (see `subjectKey`). */
    key: z.string(),
    at: Timestamp,
  }),
  z.object({ type: z.literal('finished'), execution: z.string(), key: z.string(), evidenceSha256: Sha256 }),
  z.object({ type: z.literal('silent'), execution: z.string(), reason: z.string() }),
])
export type ExecutionRecord = z.infer<typeof ExecutionRecord>

/** One line of `grades.jsonl`: what an id of a run was graded as. */
export const GradeRecord = z.object({
  run: z.string(),
  id: z.string(),
  task: z.string(),
  /** sha256 of the body; of the completion where no body could be taken from it. */
  subjectSha256: Sha256,
  extraction: Extraction.nullable(),
  evidenceSha256: Sha256,
})
export type GradeRecord = z.infer<typeof GradeRecord>

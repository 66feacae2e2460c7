import { z } from 'zod'
import { Sha256 } from '../base/ids.ts'

export const graderKinds = ['python-function', 'cargo', 'stdio'] as const
export type GraderKind = (typeof graderKinds)[number]

export const TaskId = z.string().regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be lower-case letters, digits, - and _')

export const Limits = z.object({
  wallMs: z.number().positive(),
  cpuMs: z.number().positive(),
  memoryBytes: z.number().positive(),
  outputBytes: z.number().positive(),
  fileBytes: z.number().positive(),
  processes: z.number().int().positive(),
})
export type Limits = z.infer<typeof Limits>

/** One line of `tasks.jsonl`. Keys a grader adds (crate, file, path …) ride along and are parsed by that grader. */
export const Task = z.looseObject({
  id: TaskId,
  prompt: z.string(),
  signature: z.string(),
  /** Path of the reference body inside the suite folder, and its hash. */
  reference: z.string().nullable(),
  referenceSha256: Sha256.nullable(),
  limits: Limits.partial().optional(),
  measured: z.object({ buildMs: z.number().nullable(), testMs: z.number().nullable() }).optional(),
  sourceCommit: z.string().nullable().optional(),
})
export type Task = z.infer<typeof Task>

/** `suite.json`. `sha256` is over the folder's other files: see the verifier's suite loader, which refuses a mismatch. */
export const SuiteManifest = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'must be lower-case letters, digits and -'),
  grader: z.enum(graderKinds),
  version: z.string().min(1),
  sha256: Sha256,
  /** `text` where bodies are answers that are compared, not programs. */
  language: z.enum(['python', 'rust', 'c', 'cpp', 'javascript', 'text']),
  description: z.string().default(''),
})
export type SuiteManifest = z.infer<typeof SuiteManifest>

/** One line of `cases/<task>.jsonl`. `input` is the argument list, `expected` the result, both as raw JSON text so that spelling survives. */
export const Case = z.object({ id: z.string(), family: z.string(), input: z.string(), expected: z.string() })
export type Case = z.infer<typeof Case>

import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { VerifierDraft } from '#shared/domain/placement.ts'
import {
  CommandDraft,
  PipelineDraft,
  SketchTrainerSpec,
  SourceDraft,
  VerifierReach,
} from '#shared/domain/run.ts'
import { SelectionSpec } from '#shared/domain/selection.ts'
import type { LaunchDraft, SuiteOption } from '#shared/ipc/contract.ts'

const trainer = SketchTrainerSpec.shape

/** In a draft: the machine that the console itself runs on. */
export const localBox = 'local'

/** The launch form as it may be sent: what is left out takes the default. */
export const Draft = z.object({
  name: z.string().trim().min(1, 'a run needs a name').max(120),
  box: z.string().min(1, 'choose a box'),
  suite: z.string().min(1, 'choose a suite'),
  audit: z.string().min(1).nullable(),
  source: SourceDraft.nullable(),
  workers: z.number().int().min(1).max(64),
  verifier: VerifierDraft,
  reach: VerifierReach,
  seed: trainer.seed,
  updates: trainer.updates,
  groupSize: z.number().int().min(2).max(64),
  groupsPerStep: z.number().int().min(1).max(1024),
  learningRate: z.number().positive(),
  evalDraws: z.number().int().min(0).max(100_000),
  paceMs: z.number().int().min(0).max(600_000),
  shaping: z.record(z.string(), z.number().min(0).max(1)),
  pipeline: PipelineDraft.nullable(),
  selection: SelectionSpec.nullable(),
  command: CommandDraft.nullable(),
  overrides: z.array(
    z.object({
      check: z.string().min(1),
      reason: z.string().trim().min(8, 'a reason of at least 8 characters'),
    }),
  ),
})

/** @throws {AppError} `bad_spec`, naming the first field at fault. */
export function parseDraft(value: unknown, defaults: LaunchDraft): LaunchDraft {
  const given = value ?? {}
  if (typeof given !== 'object') throw new AppError('bad_spec', 'draft: a run is described by an object.')
  const unknown = Object.keys(given).find((key) => !(key in defaults))
  if (unknown !== undefined) throw new AppError('bad_spec', `${unknown}: a run has no such field.`)
  const parsed = Draft.safeParse({ ...defaults, ...given })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new AppError('bad_spec', `${issue?.path.join('.')}: ${issue?.message}.`)
}

/** The booking study on the weak suite, watched by the audit: the run that shows what the console is for. */
export function defaultDraft(suites: SuiteOption[]): LaunchDraft {
  const named = (name: string) => suites.find((suite) => suite.name === name)
  const train = named('booking-weak') ?? suites.find((suite) => suite.role === 'train')
  const audit = named('booking-audit') ?? suites.find((suite) => suite.role === 'audit')
  return {
    name: 'Booking study, weak suite',
    box: localBox,
    suite: train?.path ?? '',
    audit: audit?.path ?? null,
    source: null,
    workers: 2,
    verifier: { kind: 'local' },
    reach: { kind: 'tunnel' },
    seed: 7,
    updates: 24,
    groupSize: 4,
    groupsPerStep: 8,
    learningRate: 1.5,
    evalDraws: 128,
    paceMs: 0,
    shaping: {},
    pipeline: null,
    selection: null,
    command: null,
    overrides: [],
  }
}

/** A suite named in a draft: the path of an option, its name, or any folder. */
export const suitePath = (named: string, suites: SuiteOption[]): string =>
  suites.find((suite) => suite.path === named || suite.name === named)?.path ?? named

import type { ErrorInfo } from '#shared/base/errors.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'

type NumberName =
  | 'seed'
  | 'updates'
  | 'groupSize'
  | 'groupsPerStep'
  | 'workers'
  | 'learningRate'
  | 'evalDraws'
  | 'paceMs'

export type NumberRule = {
  name: NumberName
  label: string
  unit: string
  whole: boolean
  least: number
  most: number
  about: string
}

/** The form's numbers with what they may be; the core judges again, and its word counts. */
export const numberRules: Record<'training' | 'evaluation' | 'machine', NumberRule[]> = {
  training: [
    {
      name: 'seed',
      label: 'Seed',
      unit: '',
      whole: true,
      least: 0,
      most: 2 ** 53,
      about: 'The same seed gives the same rollouts.',
    },
    {
      name: 'updates',
      label: 'Updates',
      unit: 'steps',
      whole: true,
      least: 0,
      most: 100_000,
      about: 'Steps of the optimizer.',
    },
    {
      name: 'groupsPerStep',
      label: 'Groups a step',
      unit: 'groups',
      whole: true,
      least: 1,
      most: 1024,
      about: 'Prompts in one update.',
    },
    {
      name: 'groupSize',
      label: 'Group size',
      unit: 'rollouts',
      whole: true,
      least: 2,
      most: 64,
      about: 'Completions of one prompt that compete.',
    },
    {
      name: 'learningRate',
      label: 'Learning rate',
      unit: '',
      whole: false,
      least: Number.MIN_VALUE,
      most: 1000,
      about: 'Of the small policy; far larger than a model’s.',
    },
  ],
  evaluation: [
    {
      name: 'evalDraws',
      label: 'Fixed draws',
      unit: 'draws',
      whole: true,
      least: 0,
      most: 100_000,
      about: 'Before and after training, each; the same for every run.',
    },
  ],
  machine: [
    {
      name: 'workers',
      label: 'Verifier workers',
      unit: 'workers',
      whole: true,
      least: 1,
      most: 64,
      about: 'Bodies graded at the same time.',
    },
    {
      name: 'paceMs',
      label: 'Pause between steps',
      unit: 'ms',
      whole: true,
      least: 0,
      most: 600_000,
      about: 'For an eye to follow; 0 for full speed.',
    },
  ],
}

/** What is wrong with a number; null where nothing is. */
export function numberFault(rule: NumberRule, value: number): string | null {
  if (!Number.isFinite(value)) return 'is no number'
  if (rule.whole && !Number.isInteger(value)) return 'must be whole'
  if (value < rule.least)
    return rule.least === Number.MIN_VALUE ? 'must be above 0' : `must be ${rule.least} or more`
  if (value > rule.most) return `must be ${rule.most.toLocaleString('en')} or less`
  return null
}

/** Faults by field, each with the field's own name in front of a full sentence left out: they stand at the field. */
export function draftFaults(draft: LaunchDraft): Partial<Record<keyof LaunchDraft, string>> {
  const faults: Partial<Record<keyof LaunchDraft, string>> = {}
  if (draft.name.trim() === '') faults.name = 'a run needs a name'
  else if (draft.name.length > 120) faults.name = 'must be 120 characters or fewer'
  if (draft.suite === '') faults.suite = 'choose a suite'
  if (draft.source !== null && (draft.source.repo.trim() === '' || draft.source.commit.trim() === ''))
    faults.source = 'needs the folder of a repository and a commit of it'
  if (draft.audit !== null && draft.audit === draft.suite)
    faults.audit = 'must be another suite than the one trained on'
  for (const rule of Object.values(numberRules).flat()) {
    const fault = numberFault(rule, draft[rule.name])
    if (fault !== null) faults[rule.name] = fault
  }
  for (const weight of Object.values(draft.shaping)) {
    if (!(weight >= 0 && weight <= 1)) faults.shaping = 'must be from 0 to 1'
  }
  if (draft.pipeline?.backend === 'trl' && draft.pipeline.model === null)
    faults.pipeline = 'TRL needs a base model'
  if (draft.command?.argv.length === 0) faults.command = 'type the command that trains'
  const { reach } = draft
  if (reach.kind === 'mesh' && (reach.name === '' || reach.address === ''))
    faults.reach = 'a mesh needs a name and an address'
  if (draft.overrides.some((override) => override.reason.trim().length < leastReason))
    faults.overrides = `a reason has ${leastReason} characters or more`
  return faults
}

/** A reason shorter than this says nothing to whoever reads the record later. */
export const leastReason = 8

/** The field that the core's error names (`seed: must be …`), with what it says; null where it names none. */
export function namedFault(
  error: ErrorInfo,
  draft: LaunchDraft,
): { field: keyof LaunchDraft; text: string } | null {
  const match = /^([a-zA-Z]+)[\w.]*: (.*)$/.exec(error.message)
  const field = match?.[1]
  if (!match?.[2] || field === undefined || !(field in draft)) return null
  return { field: field as keyof LaunchDraft, text: match[2] }
}

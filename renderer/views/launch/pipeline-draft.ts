import {
  type CommandDraft,
  PipelineDraft,
  type PipelineStage,
  type StageName,
  stageNames,
} from '#shared/domain/run.ts'
import type { LaunchDraft } from '#shared/ipc/contract.ts'

export const kindOf = ({ pipeline, command }: LaunchDraft): string =>
  command === null ? (pipeline?.backend ?? 'sketch') : 'command'

/** An empty command line where any command is chosen, keeping what was typed; null for a trainer of ours. */
export const withCommand = (kind: string, held: CommandDraft | null): CommandDraft | null =>
  kind === 'command' ? (held ?? { argv: [], ownJournal: false }) : null

/** A pipeline of the kind chosen, keeping what was filled in; null for the embedded trainer. */
export function withKind(kind: string, held: PipelineDraft | null): PipelineDraft | null {
  if (kind !== 'stand_in' && kind !== 'trl') return null
  if (held) return { ...held, backend: kind }
  return PipelineDraft.parse({
    backend: kind,
    stages: [{ stage: 'baseline' }, { stage: 'grpo' }, { stage: 'final_eval' }],
  })
}

/** The stages with one that trains on this file, or without it where the file is empty; in their usual order. */
export function withData(stages: PipelineStage[], stage: StageName, data: string): PipelineStage[] {
  const others = stages.filter((one) => one.stage !== stage)
  const held = stages.find((one) => one.stage === stage)
  const fresh = PipelineDraft.shape.stages.parse([{ ...held, stage, data }])
  const next = data === '' ? others : [...others, ...fresh]
  return next.toSorted((a, b) => stageNames.indexOf(a.stage) - stageNames.indexOf(b.stage))
}

type Cost = PipelineDraft['cost']

/** The rate as typed; without a number there is no meter. */
export function withRate(cost: Cost, typed: string): Cost {
  const ratePerHour = Number(typed)
  if (typed.trim() === '' || !(ratePerHour >= 0)) return null
  return { ratePerHour, currency: cost?.currency ?? 'USD' }
}

export const withCurrency = (cost: Cost, typed: string): Cost =>
  cost === null ? null : { ...cost, currency: typed.trim() === '' ? cost.currency : typed.trim() }

import type { Grade } from '#shared/domain/grade.ts'
import { silentGrade } from '#shared/domain/grade.ts'

/** What is known of another trainer's run before it is laid out as a journal. Null is not known. */
export type ImportedRun = {
  name: string
  /** Whose files these are, as a person would say it. */
  from: string
  steps: ImportedStep[]
  rollouts: ImportedRollout[]
  /** What a person must know to read the figures right. */
  notes: string[]
}

/** What a trainer logged of a step beside its rollouts. */
export type ImportedStep = {
  step: number
  loss: number | null
  gradNorm: number | null
  kl: number | null
  entropy: number | null
  lr: number | null
  rewardMean: number | null
  rewardStd: number | null
  /** Of the step's groups, 0 to 1. */
  silentShare: number | null
}

export type ImportedRollout = {
  /** Null: of an evaluation. */
  step: number | null
  /** Rollouts of one step with equal names are one group. */
  group: string
  task: string
  completion: string
  tokens: number | null
  truncated: boolean
  /** By name, as weighted as it is known to have been. Null where it was not scored. */
  rewards: Record<string, number | null>
  total: number | null
  advantage: number | null
  /** Why there is no reward, where there is none. */
  error: string | null
  at: string | null
}

/** Where rewards lie. A grade's reward is between 0 and 1; another trainer's may be anything. */
export type RewardRange = { low: number; high: number }

export function rangeOf(rollouts: readonly ImportedRollout[]): RewardRange {
  let [low, high] = [0, 1]
  for (const { total } of rollouts) {
    if (total === null) continue
    low = Math.min(low, total)
    high = Math.max(high, total)
  }
  return { low, high }
}

/**
 * A grade of what another trainer scored. Its place between 0 and 1 is its place in the run's range; the number itself stays in `total`. Which tests there
 * were and how they went nobody told, so none is listed, and only a full reward of a run that rewards from 0 to 1 counts as passed.
 */
export function gradeOf(
  { total, error }: ImportedRollout,
  { low, high }: RewardRange,
  bodySha256: string,
): Grade {
  if (total === null) return silentGrade('unresolved', error ?? 'not_scored')
  const isPlain = low === 0 && high === 1
  return {
    ...silentGrade('unresolved', ''),
    status: isPlain && total >= 1 ? 'passed' : 'test_failed',
    reward: (total - low) / (high - low),
    reason: 'imported',
    bodySha256,
  }
}

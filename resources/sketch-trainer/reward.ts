import { AppError } from '#shared/base/errors.ts'
import { composeReward, type Reward } from '#shared/grpo/components.ts'
import type { Graded } from './recall.ts'

const parts: Record<string, (graded: Graded) => number> = {
  /** 1 where the completion held exactly one usable block. */
  format: ({ extraction }) => (extraction?.outcome === 'body' ? 1 : 0),
}

/** @throws AppError `bad_spec` where the spec weighs a part that this trainer does not have. */
export function checkShaping(weights: Readonly<Record<string, number>>): void {
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined)
    throw new AppError('bad_spec', `trainer.shaping.${unknown} is no reward part of this trainer.`, {
      hint: `Known parts: ${Object.keys(parts).join(', ')}.`,
    })
}

/** The reward of one graded rollout, with the spec's shaping weights. */
export function rewardOf(graded: Graded, weights: Readonly<Record<string, number>>): Reward {
  const shaping = Object.entries(weights).map(([name, weight]) => [
    name,
    { weight, value: parts[name]?.(graded) ?? 0 },
  ])
  return composeReward(graded.grade.reward, Object.fromEntries(shaping))
}

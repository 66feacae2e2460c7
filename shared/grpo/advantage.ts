/** Keeps the division finite where a group's rewards barely differ; the value TRL uses. */
const stdFloor = 1e-4

export type GroupAdvantages =
  /** Rewards differ: every rollout has an advantage, and they sum to 0. */
  | { state: 'spread'; advantages: number[]; mean: number; std: number }
  /** All rewards are equal: every advantage is 0 and the group gives no gradient. */
  | { state: 'silent'; advantages: number[]; mean: number; std: 0 }
  /** Some reward is null: nothing may be computed, and the update waits. */
  | { state: 'blocked'; advantages: null[]; missing: number }

/**
 * Group-relative advantages: (r − mean) ÷ (s + 1e-4) with the *sample* standard deviation s (n − 1), as in TRL's GRPO trainer with rewards
 * scaled by group (Shao et al. 2024, DeepSeekMath, eq. 3; the floor is TRL's). Two passes in eight give +1.62 and −0.54.
 *
 * A null reward is silence, not a number: with one in the group there is no mean to compare with, so the whole group is `blocked`.
 * @param rewards of the completions of one prompt; finite or null. @throws RangeError where one is not finite, or there is none.
 */
export function groupAdvantages(rewards: readonly (number | null)[]): GroupAdvantages {
  if (rewards.length === 0) throw new RangeError('a group needs at least one rollout')
  const known = rewards.filter((reward) => reward !== null)
  const odd = known.find((reward) => !Number.isFinite(reward))
  if (odd !== undefined) throw new RangeError(`a reward must be a finite number or null, not ${odd}`)
  const missing = rewards.length - known.length
  if (missing > 0) return { state: 'blocked', advantages: rewards.map(() => null), missing }
  const first = known[0] ?? 0
  // Told apart by equality, not by std: the mean of equal rewards can be off by a rounding, which 1e-4 would blow up into a gradient.
  if (known.every((reward) => reward === first))
    return { state: 'silent', advantages: known.map(() => 0), mean: first, std: 0 }
  const mean = known.reduce((sum, reward) => sum + reward, 0) / known.length
  const variance = known.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (known.length - 1)
  const std = Math.sqrt(variance)
  return { state: 'spread', advantages: known.map((reward) => (reward - mean) / (std + stdFloor)), mean, std }
}

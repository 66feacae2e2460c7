/**
 * What is believed of a task's pass rate: a Beta distribution. A group of rollouts teaches only where it is mixed, passes beside failures, so
 * that a task's worth is the chance of that. As in ThinkPrior; the same code for the Python trainer is `ringside_trainer/selection.py`, and
 * `golden.json` holds both to the same numbers.
 */
export type Belief = { alpha: number; beta: number }

type PriorSettings = {
  /** How many rollouts the anchor weighs. Small: the policy moves away from where it was measured. */
  kappa: number
  /** Keeps a measured 0 or 1 from being taken for certain. */
  epsilon: number
}

/** α = κφ + ε, β = κ(1 − φ) + ε for a measured pass rate φ; where none was measured, any rate is as likely as another. */
export function priorFrom(phi: number | null, { kappa, epsilon }: PriorSettings): Belief {
  if (phi === null) return { alpha: 1, beta: 1 }
  return { alpha: kappa * phi + epsilon, beta: kappa * (1 - phi) + epsilon }
}

/**
 * The chance that a group of `groupSize` has a pass and a failure, 1 − P(all pass) − P(all fail), under the Beta-binomial:
 * P(all pass) = ∏ (α + i) ÷ (α + β + i) for i = 0 … G − 1, and P(all fail) alike with β.
 */
export function mixedChance({ alpha, beta }: Belief, groupSize: number): number {
  let allPass = 1
  let allFail = 1
  for (let i = 0; i < groupSize; i += 1) {
    allPass *= (alpha + i) / (alpha + beta + i)
    allFail *= (beta + i) / (alpha + beta + i)
  }
  return Math.max(0, 1 - allPass - allFail)
}

/**
 * The belief after one group. An outcome of null is silence: it says nothing about the task and changes nothing. Older evidence fades, since the
 * policy that gave it is gone: `remembered` is the most that a belief may weigh, in rollouts, before the group is added.
 */
export function observe(belief: Belief, passed: readonly (boolean | null)[], remembered: number): Belief {
  const known = passed.filter((one) => one !== null)
  if (known.length === 0) return belief
  const weight = belief.alpha + belief.beta
  const kept = Math.min(1, remembered / weight)
  const passes = known.filter(Boolean).length
  return { alpha: belief.alpha * kept + passes, beta: belief.beta * kept + known.length - passes }
}

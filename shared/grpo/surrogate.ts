/** One token's part of the objective, and how that part changes with the token's log-probability. */
export type Surrogate = { value: number; ratio: number; slope: number; clipped: boolean }

/**
 * The clipped surrogate min(ρA, clip(ρ, 1 − ε, 1 + ε)A) of one token, to be maximised, with ρ = exp(logProb − oldLogProb)
 * (Schulman et al. 2017, PPO, eq. 7). `slope` is its derivative by `logProb`: ρA, or 0 where the clip holds.
 * @param oldLogProb under the policy that generated the token. @param clip ε > 0.
 */
export function clippedSurrogate(
  logProb: number,
  oldLogProb: number,
  advantage: number,
  clip: number,
): Surrogate {
  const ratio = Math.exp(logProb - oldLogProb)
  const free = ratio * advantage
  const held = Math.min(Math.max(ratio, 1 - clip), 1 + clip) * advantage
  const clipped = held < free
  return { value: Math.min(free, held), ratio, slope: clipped ? 0 : free, clipped }
}

/**
 * The k3 estimator of KL(policy ‖ reference) from one token drawn by the policy: exp(d) − d − 1 with d = refLogProb − logProb. Unbiased, never
 * negative, and of low variance near the reference (Schulman 2020, "Approximating KL divergence"; used by GRPO, DeepSeekMath eq. 4).
 */
export function k3(logProb: number, refLogProb: number): number {
  const d = refLogProb - logProb
  return Math.exp(d) - d - 1
}

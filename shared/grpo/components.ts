import type { z } from 'zod'
import type { RewardComponents } from '../journal/events.ts'

export type Reward = { components: z.infer<typeof RewardComponents>; total: number | null }

/**
 * The reward of one rollout: `tests` with weight 1 plus the shaping parts with theirs. Components are the weighted contributions, so that
 * they add up to the total.
 *
 * Where `tests` is null every component is null and so is the total: cheap shaping parts outlive an outage of the verifier, and alone they
 * would train format and length.
 * @param shaping value in [0, 1] and weight ≥ 0 of each part.
 */
export function composeReward(
  tests: number | null,
  shaping: Readonly<Record<string, { value: number; weight: number }>>,
): Reward {
  const names = Object.keys(shaping)
  if (tests === null)
    return { components: Object.fromEntries(['tests', ...names].map((name) => [name, null])), total: null }
  const parts = names.map((name): [string, number] => {
    const part = shaping[name]
    return [name, part ? part.value * part.weight : 0]
  })
  const total = parts.reduce((sum, [, contribution]) => sum + contribution, tests)
  return { components: { tests, ...Object.fromEntries(parts) }, total }
}

/** One task as the initial checkpoint met it (or an external anchor's count). */
type Measured = {
  task: string
  passed: number
  /** Rollouts with a number; silent ones are no measurement. */
  graded: number
  /** Whether the label was confirmed apart from the policy: the reference passes its own tests and every control holds. */
  confirmed: boolean
}

/**
 * `solved` leaves: nothing is to be learnt where everything passes. `later`: nothing passes, and the label is known to be right, so that it stays
 * for a policy that has come further. `doubtful`: nothing passes and nobody has shown that anything could; it stays out until somebody does.
 * A label is never changed to what the policy answers.
 */
export type Difficulty = 'solved' | 'useful' | 'later' | 'doubtful' | 'unmeasured'

/** Below this many rollouts a pass rate of 0 or 1 says little: at 8, a rate of 0.3 still shows 0 in one task of eighteen. */
const enough = 8

export function difficultyOf({ passed, graded, confirmed }: Omit<Measured, 'task'>): Difficulty {
  if (graded < enough) return 'unmeasured'
  if (passed === graded) return 'solved'
  if (passed > 0) return 'useful'
  return confirmed ? 'later' : 'doubtful'
}

/** The tasks of each difficulty, in their order. */
export function byDifficulty(measured: readonly Measured[]): Record<Difficulty, string[]> {
  const found: Record<Difficulty, string[]> = {
    solved: [],
    useful: [],
    later: [],
    doubtful: [],
    unmeasured: [],
  }
  for (const one of measured) found[difficultyOf(one)].push(one.task)
  return found
}

import type { Random } from '#shared/grpo/random.ts'

/** The chance that the untrained policy gives each option, by hole. */
export type Vocabulary = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Options chosen so far, by hole. */
export type Picks = Readonly<Record<string, string>>

/** What was written: Markdown, as a language model would. `truncated` where it was cut off before its fence closed. */
export type Written = { text: string; truncated: boolean }

/**
 * How the policy writes one function: a program with holes. Holes of the same name in several sketches are one and the same, so that what one task
 * teaches is known in another.
 */
export type Sketch = {
  holes: Vocabulary
  /** The hole to fill next, or null where the sketch is complete; always in the same order, so that a seed gives the same draws. */
  next: (picks: Picks) => string | null
  /** The completion that complete picks write; what varies without meaning is drawn. */
  render: (picks: Picks, random: Random) => Written
}

/** The function that a task wants, and the sketch that writes it. */
export type Task = { id: string; sketch: Sketch }

/** All holes of some tasks. */
export const vocabularyOf = (tasks: readonly Task[]): Vocabulary =>
  Object.assign({}, ...tasks.map(({ sketch }) => sketch.holes))

/** The n-th of the tasks, taken in turn. @throws RangeError where there is none. */
export function inTurn(tasks: readonly Task[], n: number): Task {
  const task = tasks[n % tasks.length]
  if (task === undefined) throw new RangeError('there is no task')
  return task
}

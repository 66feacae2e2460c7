import { AppError } from '#shared/base/errors.ts'
import type { TaskListing } from '#shared/domain/verifier.ts'
import type { Sketch, Task } from './policy/sketch.ts'
import { booking } from './program/booking.ts'
import { ladderSketch } from './program/ladder.ts'

/** The sketch for a function's name; null for one that this policy cannot write. */
function sketchOf(name: string): Sketch | null {
  return name === 'required_capacity' ? booking : ladderSketch(name)
}

/**
 * Tasks of the suite that the policy can attempt. A policy that is no language model knows only its own functions.
 * @throws AppError `bad_suite` where there is none.
 */
export function tasksFrom(listed: readonly TaskListing[], suite: string): Task[] {
  const tasks = listed.flatMap(({ id, signature }) => {
    const sketch = sketchOf(/(\w+)\s*\(/.exec(signature)?.[1] ?? '')
    return sketch === null ? [] : [{ id, sketch }]
  })
  if (tasks.length > 0) return tasks
  throw new AppError(
    'bad_suite',
    `The suite ${suite} has no task with a function that the embedded trainer can write.`,
    {
      hint: 'It can write required_capacity(…) and the functions of the ladder: choose one of those suites.',
    },
  )
}

import { AppError } from '#shared/base/errors.ts'
import type { TaskListing } from '#shared/domain/verifier.ts'

/** The one function that the sketch can write. A policy that is no language model knows only its own task. */
const known = 'required_capacity'

/** Tasks of the suite that the policy can attempt, as the prompts of its groups. @throws AppError `bad_suite` where there is none. */
export function promptsFrom(tasks: readonly TaskListing[], suite: string): string[] {
  const fitting = tasks.filter((task) => task.signature.includes(`${known}(`)).map((task) => task.id)
  if (fitting.length > 0) return fitting
  throw new AppError('bad_suite', `The suite ${suite} has no task whose signature is ${known}(…).`, {
    hint: 'The embedded trainer’s policy can only write that function: choose one of the booking suites.',
  })
}

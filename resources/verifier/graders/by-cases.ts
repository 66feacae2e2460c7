import type { TaskListing } from '#shared/domain/verifier.ts'
import type { GradeJob, Grader, Slot, Verdict } from './grader.ts'

type ByCases = { id: string; prompt: string; signature: string; cases: { id: string }[] }

/** What the graders that run a body over a task's cases have in common. */
export const listingsOf = (tasks: Iterable<ByCases>): TaskListing[] =>
  [...tasks].map(({ id, prompt, signature, cases }) => ({
    id,
    prompt,
    signature,
    tests: cases.map((entry) => entry.id),
  }))

/** Slots that are nothing but a number: no cache to fill, nothing to give back. */
export function slotsWithoutCaches(
  grade: (slot: number, job: GradeJob) => Promise<Verdict>,
): Pick<Grader, 'open' | 'warm'> {
  return {
    open: async (count) =>
      Array.from(
        { length: count },
        (_, index): Slot => ({
          index,
          cache: 'warm',
          grade: (job) => grade(index, job),
          dispose: async () => undefined,
        }),
      ),
    warm: async (slots, progress) => {
      for (const { index } of slots)
        progress({ slot: index, phase: 'nothing_to_fill', done: 1, total: 1, ms: 0 })
    },
  }
}

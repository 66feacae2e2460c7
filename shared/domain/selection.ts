import { z } from 'zod'

/** How a run chooses the task of each group. Absent from a spec: each task in turn. */
export const SelectionSpec = z.object({
  /**
   * `uniform`: all tasks evenly. `curriculum`: the easiest first, one after another. `mixed`: in proportion to the chance that a group has passes and
   * failures, which is where it teaches.
   */
  by: z.enum(['uniform', 'curriculum', 'mixed']),
  /**
   * Share of the groups that are given evenly over all tasks, whatever is believed of them. With less, a task that was hopeless at the start is found to
   * have become possible late: on the ladder, 0.1 took half as many rollouts again as 0.3 to a pass rate of 0.75.
   */
  explore: z.number().min(0).max(1).default(0.3),
  kappa: z.number().positive().default(4),
  epsilon: z.number().positive().default(1e-3),
  /** Older evidence of a task fades beyond about this many groups: the policy that gave it is gone. */
  rememberGroups: z.number().positive().default(4),
  /** Pass rate by task, measured elsewhere; null or a task left out: the run's own baseline evaluation says it. */
  anchor: z.record(z.string(), z.number().min(0).max(1)).nullable().default(null),
})
export type SelectionSpec = z.infer<typeof SelectionSpec>

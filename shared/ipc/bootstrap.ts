import { z } from 'zod'
import { Timestamp } from '../base/ids.ts'

/** The part of the contract that is about making a box ready for the pipeline's trainer. `box` is `local` or the id of a box behind SSH. */
export const bootstrapInputs = {
  'bootstrap.get': z.object({ box: z.string() }),
  /** Begins, or goes on with, what is not done. Folders are on the box; without `wheels` packages come from wherever its pip is set to. */
  'bootstrap.start': z.object({
    box: z.string(),
    wheels: z.string().min(1).nullable(),
    model: z.string().min(1).nullable(),
  }),
  /** Stops waiting; a step that is at work there goes on to its own end. */
  'bootstrap.stop': z.object({ box: z.string() }),
} as const

const step = z.object({
  step: z.string(),
  /** `running` with nobody at work: it was cut, and the next start does it again. */
  state: z.enum(['todo', 'running', 'done', 'failed', 'waiting']),
  /** When it entered that state: a wait keeps it over every look, so that its age is how long it has been waited. */
  since: Timestamp.nullable(),
  detail: z.string(),
})
export type BootstrapStep = z.infer<typeof step>

/** What the trainer's `bootstrap.py --status` says of a box. */
export const BootstrapStatus = z.object({
  /** The interpreter that a run on that box is to name, once it is ready. */
  python: z.string(),
  ready: z.boolean(),
  steps: z.array(step),
})

export type BootstrapView = z.infer<typeof BootstrapStatus> & {
  box: string
  /** This console is at it: working, or looking again now and then for what is waited for. */
  going: boolean
  /** Why the last look ended without a step saying so; null where it did not. */
  fault: string | null
}

export type BootstrapOutputs = {
  'bootstrap.get': BootstrapView
  'bootstrap.start': BootstrapView
  'bootstrap.stop': BootstrapView
}

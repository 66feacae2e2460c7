import { z } from 'zod'

const Life = z.object({
  state: z.enum(['alive', 'gone', 'never']),
  pid: z.number().nullable(),
  startedAt: z.string().nullable(),
})

/** What `supervise.sh status` says of a run on its box. */
export const BoxStatus = z.object({
  supervisor: Life,
  trainer: Life,
  /** The trainer's exit code (128 + signal where one ended it); null while it lives or where nobody saw it end. */
  trainerExit: z.number().nullable(),
  verifier: Life,
  /** How often the verifier ended, and so was started again. */
  verifierExits: z.number(),
  /** The box was started anew since the supervisor was. */
  rebooted: z.boolean(),
  /** Why the supervisor ended: `stopped`, `idle`, or empty where it was not by its own will. */
  ended: z.string(),
})
export type BoxStatus = z.infer<typeof BoxStatus>

/** Why a run whose trainer is gone without a last word ended, in one sentence. */
export function whyEnded(status: BoxStatus): string {
  if (status.rebooted) return 'The box was restarted while the run was going.'
  if (status.trainerExit !== null && status.trainerExit > 128) {
    return `The trainer was ended by signal ${status.trainerExit - 128}.`
  }
  if (status.trainerExit !== null) {
    return `The trainer ended with exit code ${status.trainerExit} without finishing the run; see its log.`
  }
  return status.trainer.state === 'never'
    ? 'The trainer was never started.'
    : 'The trainer is gone and nobody saw it end.'
}

/**
 * Whether the trainer certainly runs, certainly does not, or (null) is between the two: about to be started, or waiting for room on a full
 * disk. The supervisor writes down how it ended for good; while that is not there and the supervisor lives, it may come back.
 */
export function trainerLife(status: BoxStatus): boolean | null {
  if (status.trainer.state === 'alive') return true
  return status.trainerExit === null && status.supervisor.state === 'alive' ? null : false
}

import { href } from '../../app/router.ts'

/** The rows behind a figure of the audit, as filters of the list of rollouts. */
export const doors = {
  acceptedRight: 'status:passed -is:unaudited -is:false_acceptance',
  acceptedWrong: 'is:false_acceptance',
  rejectedRight: 'is:false_rejection',
  rejectedWrong: '-status:passed -is:unaudited -is:false_rejection',
  unknown: 'is:unaudited -status:no_answer',
  accepted: 'status:passed -is:unaudited',
  audited: '-is:unaudited -status:no_answer',
} as const

export const door = (run: string, filter: string): string => href({ view: 'rollouts', run, filter })

/** Enough of a hash that no two bodies of a run share it. */
export const bodyFilter = (sha256: string): string => `body:${sha256.slice(0, 16)}`

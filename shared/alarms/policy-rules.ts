import type { StepRow } from '../journal/state.ts'
import { limits } from './limits.ts'
import { type StepRule, window } from './reward-rules.ts'
import { figure, known, median } from './words.ts'

const before = (steps: readonly StepRow[], at: number, of: (row: StepRow) => number | null) =>
  known(window(steps, at - 1), of)

const list = (row: StepRow) => ({ view: 'rollouts', filter: `step=${row.step}` }) as const

/**
 * A norm that is not finite reaches a journal as null, since JSON has no other word for it: null after numbers means that. A norm that was never
 * told is unknown, and no alarm.
 */
export const gradient: StepRule = (steps, at) => {
  const row = steps[at]
  if (!row || row.finishedAt === null) return null
  const earlier = before(steps, at, (each) => each.gradNorm)
  const usual = median(earlier)
  const { gradNorm: norm } = row
  if (norm === null) {
    if (usual === null) return null
    return {
      level: 'error',
      title: `No finite gradient at step ${row.step}`,
      text: `Its norm is null after ${figure(usual)} as usual: it overflowed or was not computed. The parameters may be lost.`,
      evidence: { norm: null, usual },
      link: list(row),
    }
  }
  const jumped =
    usual !== null &&
    earlier.length >= limits.leastSteps &&
    norm >= limits.gradientLeast &&
    norm > limits.gradientRise * usual
  if (Number.isFinite(norm) && norm < limits.gradient && !jumped) return null
  return {
    level: 'error',
    title: `Gradient norm ${Number.isFinite(norm) ? figure(norm) : 'not finite'} at step ${row.step}`,
    text:
      usual === null
        ? 'It is the first step told.'
        : `Usual were ${figure(usual)}. One such update can undo the run.`,
    evidence: { norm, usual, limit: limits.gradient },
    link: list(row),
  }
}

export const entropy: StepRule = (steps, at) => {
  const row = steps[at]
  const first = median(known(steps.slice(0, 10), (each) => each.entropy))
  const value = row?.entropy ?? null
  if (!row || value === null || first === null || first <= 0 || at < limits.leastSteps) return null
  const isLow = value < limits.entropyLow * first
  if (!isLow && value < limits.entropyHigh * first) return null
  return {
    level: 'warning',
    title: `Entropy ${isLow ? 'collapsed' : 'blew up'}: ${figure(value)} from ${figure(first)}`,
    text: isLow
      ? 'The policy says nearly the same whatever it is asked: groups fall silent next.'
      : 'The policy loses what it knew: look at completions of this step.',
    evidence: { entropy: value, first, limit: isLow ? limits.entropyLow : limits.entropyHigh },
    link: list(row),
  }
}

export const klJump: StepRule = (steps, at) => {
  const row = steps[at]
  const earlier = before(steps, at, (each) => each.kl)
  const usual = median(earlier)
  const value = row?.kl ?? null
  if (!row || value === null || usual === null || earlier.length < limits.leastSteps) return null
  if (value < limits.klLeast || value <= limits.klRise * usual) return null
  return {
    level: 'warning',
    title: `KL jumped to ${figure(value)} at step ${row.step}`,
    text: `Usual were ${figure(usual)}. The policy left its reference in one update.`,
    evidence: { kl: value, usual, limit: limits.klRise },
    link: list(row),
  }
}

import type { StepRow } from '../journal/state.ts'
import type { Finding } from './alarm.ts'
import { limits } from './limits.ts'
import { count, figure, known, mean, percent, sum } from './words.ts'

/** Looks at step `at` of `steps` and at those before it. */
export type StepRule = (steps: readonly StepRow[], at: number) => Finding | null

const here = (row: StepRow, filter: string) =>
  ({ view: 'rollouts', filter: `step=${row.step} ${filter}`.trim() }) as const

/** Rollouts of finished steps without a reward. A body whose tests did not run has an alarm of its own. */
export const nullShare: StepRule = (steps, at) => {
  const row = steps[at]
  if (!row || row.finishedAt === null || row.generated === 0) return null
  const nulls = (row.byStatus.unreachable ?? 0) + (row.byStatus.unresolved ?? 0)
  const share = nulls / row.generated
  if (share < limits.nullShare) return null
  return {
    level: 'error',
    title: `Step ${row.step} went on without ${percent(share)} of its rewards`,
    text: `${nulls} of ${row.generated} rollouts are null. A group with one should have held the update.`,
    evidence: { nulls, generated: row.generated, share, limit: limits.nullShare },
    link: here(row, 'reward:null'),
  }
}

export const tamperSpike: StepRule = (steps, at) => {
  const recent = steps.slice(Math.max(0, at - 4), at + 1)
  const before = steps.slice(Math.max(0, at - 54), Math.max(0, at - 4))
  const row = steps[at]
  const tampered = sum(recent, (step) => step.byStatus.tampered ?? 0)
  const share =
    tampered /
    Math.max(
      1,
      sum(recent, (step) => step.generated),
    )
  const usual =
    sum(before, (step) => step.byStatus.tampered ?? 0) /
    Math.max(
      1,
      sum(before, (s) => s.generated),
    )
  if (!row || (row.byStatus.tampered ?? 0) === 0) return null
  if (tampered < limits.tamperLeast || share < limits.tamperShare || share < limits.tamperRise * usual)
    return null
  return {
    level: 'error',
    title: `${count(tampered, 'body', 'bodies')} tampered within five steps`,
    text: `${percent(share)} of the rollouts, ${percent(usual)} before. Each was caught and got 0; see what they try.`,
    evidence: { tampered, share, usual, limit: limits.tamperShare },
    link: { view: 'rollouts', filter: 'status:tampered' },
  }
}

export const silentGroups: StepRule = (steps, at) => {
  const recent = window(steps, at).filter((row) => row.groups !== null && row.silentGroups !== null)
  const groups = sum(recent, (row) => row.groups ?? 0)
  const silent = sum(recent, (row) => row.silentGroups ?? 0)
  if (recent.length < limits.leastSteps || groups < limits.silentLeast) return null
  const share = silent / groups
  if (share < limits.silentGroups) return null
  const passes = sum(recent, (row) => row.allPassGroups)
  const fails = sum(recent, (row) => row.allFailGroups)
  return {
    level: 'warning',
    title: `${percent(share)} of the groups teach nothing`,
    text: `Over ${recent.length} steps ${silent} of ${groups} groups had equal rewards: ${passes} all passed, ${fails} all failed.`,
    evidence: { silent, groups, passes, fails, share, limit: limits.silentGroups },
    link: { view: 'rollouts', filter: 'is:silent' },
  }
}

/** Only where there is shaping: a reward of tests alone is all tests. */
export const shapingDominates: StepRule = (steps, at) => {
  const recent = window(steps, at, 10).filter((row) => Object.keys(row.spreadShares).length > 1)
  const shares = known(recent, (row) => row.spreadShares.tests ?? null)
  const tests = mean(shares)
  const row = steps[at]
  if (!row || tests === null || shares.length < limits.leastSteps || 1 - tests < limits.shaping) return null
  return {
    level: 'error',
    title: `Shaping makes ${percent(1 - tests)} of the reward’s spread`,
    text: `Over ${shares.length} steps the tests carry ${percent(tests)} of it: the policy learns form more than function.`,
    evidence: { shaping: 1 - tests, steps: shares.length, limit: limits.shaping },
    link: here(row, ''),
  }
}

export const truncation: StepRule = (steps, at) => {
  const recent = window(steps, at, 5)
  const row = steps[at]
  const generated = sum(recent, (step) => step.generated)
  const cut = sum(recent, (step) => step.truncated)
  if (!row || recent.length < limits.leastSteps || generated === 0 || cut / generated < limits.truncation)
    return null
  return {
    level: 'warning',
    title: `${percent(cut / generated)} of the completions are cut off`,
    text: `${cut} of ${generated} in five steps reached the token limit and are graded on what was there.`,
    evidence: { truncated: cut, generated, limit: limits.truncation },
    link: { view: 'rollouts', filter: 'is:truncated' },
  }
}

export const duplicateBodies: StepRule = (steps, at) => {
  const recent = window(steps, at, 5)
  const row = steps[at]
  const bodies = sum(recent, (step) => step.bodies)
  const copies = bodies - sum(recent, (step) => step.distinctBodies)
  if (!row || bodies < limits.duplicatesLeast || copies / bodies < limits.duplicates) return null
  return {
    level: 'warning',
    title: `${percent(copies / bodies)} of the bodies are copies`,
    text: `In five steps ${bodies - copies} different bodies among ${bodies}: groups of one answer have no advantage to learn from.`,
    evidence: { bodies, distinct: bodies - copies, share: copies / bodies, limit: limits.duplicates },
    link: here(row, ''),
  }
}

/** Reward against what training does not see, between the halves of the window. */
export function heldOutFlat(heldOut: (step: number) => { passed: number; judged: number } | null): StepRule {
  return (steps, at) => {
    const recent = window(steps, at)
    if (recent.length < limits.window) return null
    const halves = [recent.slice(0, limits.window / 2), recent.slice(limits.window / 2)]
    const rewards = halves.map((half) => mean(known(half, (row) => row.rewardMean)))
    const judged = halves.map((half) => sum(half, (row) => heldOut(row.step)?.judged ?? 0))
    const passed = halves.map((half) => sum(half, (row) => heldOut(row.step)?.passed ?? 0))
    const [first = null, last = null] = rewards
    const [judgedFirst = 0, judgedLast = 0] = judged
    if (first === null || last === null || Math.min(judgedFirst, judgedLast) < limits.heldOutLeast)
      return null
    const gain = last - first
    const heldOutGain = (passed[1] ?? 0) / judgedLast - (passed[0] ?? 0) / judgedFirst
    const error = Math.hypot(...halves.map(standardError))
    if (gain < limits.gainErrors * error) return null
    if (gain < limits.rewardGain || heldOutGain > limits.heldOutGain) return null
    return {
      level: 'error',
      title: `Reward up ${figure(gain)}, held-out ${heldOutGain < -0.005 ? `down ${percent(-heldOutGain)}` : 'flat'}`,
      text: `Over ${recent.length} steps the audit passes no more than before: the policy learns the verifier, not the task.`,
      evidence: { gain, heldOutGain, judged: judgedFirst + judgedLast, limit: limits.rewardGain },
      link: { view: 'audit' },
    }
  }
}

/**
 * Of the mean over steps of their mean reward, from the spread within each. A step without a known spread says nothing of the error, and
 * where none has one it is unbounded: no certainty comes of not knowing.
 */
function standardError(rows: StepRow[]): number {
  const variances = rows.flatMap(({ rewardStd, generated }) =>
    rewardStd === null ? [] : [rewardStd ** 2 / Math.max(1, generated)],
  )
  if (variances.length === 0) return Number.POSITIVE_INFINITY
  return Math.sqrt(variances.reduce((all, variance) => all + variance, 0)) / variances.length
}

/** The finished steps up to `at`, the latest of them. */
export function window(steps: readonly StepRow[], at: number, size: number = limits.window): StepRow[] {
  const found: StepRow[] = []
  for (let index = at; index >= 0 && found.length < size; index -= 1) {
    const row = steps[index]
    if (row && row.finishedAt !== null) found.unshift(row)
  }
  return found
}

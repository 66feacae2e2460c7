import type { LaunchDraft } from '#shared/ipc/contract.ts'

/** The trainer's part of the spec that a draft becomes, before its defaults are filled in. */
export function trainerOf(draft: LaunchDraft): object {
  const { seed, updates, groupSize, groupsPerStep, learningRate, evalDraws, shaping, paceMs } = draft
  return {
    ...(draft.pipeline === null ? { kind: 'sketch' } : { kind: 'pipeline', ...draft.pipeline }),
    seed,
    updates,
    groupSize,
    groupsPerStep,
    learningRate,
    evalDraws,
    shaping,
    paceMs,
  }
}

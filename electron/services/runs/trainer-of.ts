import type { LaunchDraft } from '#shared/ipc/contract.ts'

/** The trainer's part of the spec that a draft becomes, before its defaults are filled in. */
export function trainerOf(draft: LaunchDraft): object {
  const { seed, updates, groupSize, groupsPerStep, learningRate, evalDraws, shaping, paceMs } = draft
  return {
    ...kindOf(draft),
    seed,
    updates,
    groupSize,
    groupsPerStep,
    learningRate,
    evalDraws,
    shaping,
    paceMs,
    ...(draft.selection !== null && { selection: draft.selection }),
  }
}

function kindOf({ pipeline, command }: LaunchDraft): object {
  if (command !== null) return { kind: 'command', ...command }
  return pipeline === null ? { kind: 'sketch' } : { kind: 'pipeline', ...pipeline }
}

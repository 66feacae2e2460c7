import { createHash } from 'node:crypto'
import type { RunId } from '#shared/base/ids.ts'
import { evalRolloutId, rolloutId } from '#shared/base/ids.ts'
import type { EventBody } from '#shared/journal/events.ts'
import { gradeOf, type ImportedRollout, type ImportedRun, type ImportedStep, rangeOf } from './drawn.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export type LaidOut = { lines: string[]; completions: Map<string, string> }

/**
 * Another trainer's run as a journal of ours, which every view then reads as it does any. It is given no time that was not told: what has none stands at
 * when its file was written, and no step has a beginning or a duration.
 *
 * @param writtenAt of the files, RFC 3339.
 */
export function layOut(run: RunId, imported: ImportedRun, writtenAt: string): LaidOut {
  const completions = new Map<string, string>()
  const lines: string[] = []
  const write = (body: EventBody, at = writtenAt) => {
    lines.push(`${JSON.stringify({ v: 1, seq: lines.length, at, run, ...body })}\n`)
  }
  const { name, from, notes } = imported
  const spec = { imported: { name, from } }
  write({
    type: 'run.started',
    spec,
    specSha256: sha256(JSON.stringify(spec)),
    host: 'unknown',
    versions: {},
    seed: 0,
  })
  for (const text of notes) write({ type: 'alert', code: 'imported', level: 'info', text, evidence: null })
  const range = rangeOf(imported.rollouts)
  const steps = new Map(imported.steps.map((step) => [step.step, step]))
  const drawn = Map.groupBy(imported.rollouts, ({ step }) => step)
  for (const step of [...new Set([...steps.keys(), ...drawn.keys()])]
    .filter((one) => one !== null)
    .sort((a, b) => a - b)) {
    const groups = placed(drawn.get(step) ?? [])
    for (const { rollout, group, index } of groups) {
      const id = rolloutId(run, step, group, index)
      const completion = sha256(rollout.completion)
      completions.set(completion, rollout.completion)
      write(generated(id, rollout, completion, { step, group, index }), rollout.at ?? writtenAt)
      write(
        {
          type: 'rollout.graded',
          rollout: id,
          grade: gradeOf(rollout, range, completion),
          extraction: null,
          components: rollout.total === null ? {} : rollout.rewards,
          total: rollout.total,
          advantage: rollout.advantage,
        },
        rollout.at ?? writtenAt,
      )
    }
    write(finished(step, steps.get(step) ?? null, groups))
  }
  for (const { rollout, index } of placed(drawn.get(null) ?? [])) {
    const id = evalRolloutId(run, 'eval', rollout.task, index)
    const completion = sha256(rollout.completion)
    completions.set(completion, rollout.completion)
    write(generated(id, rollout, completion, { step: null, group: null, index }))
    write({
      type: 'eval.draw',
      policy: 'eval',
      task: rollout.task,
      drawSeed: index,
      rollout: id,
      grade: gradeOf(rollout, range, completion),
    })
  }
  write({ type: 'run.finished', outcome: 'completed', reason: `Read from ${from}.` })
  return { lines, completions }
}

type Placed = { rollout: ImportedRollout; group: number; index: number }

/** Groups in the order in which they are met, and rollouts in their order within each. */
function placed(rollouts: readonly ImportedRollout[]): Placed[] {
  const groups = [...Map.groupBy(rollouts, ({ group }) => group).values()]
  return groups.flatMap((members, group) => members.map((rollout, index) => ({ rollout, group, index })))
}

const generated = (
  rollout: string,
  { task, tokens, truncated }: ImportedRollout,
  completionSha256: string,
  place: { step: number | null; group: number | null; index: number },
): EventBody => ({
  type: 'rollout.generated',
  rollout,
  task,
  completionSha256,
  tokens,
  truncated,
  ...place,
})

/** Groups are counted where their rollouts are known; a share of an unknown number stays unknown. */
function finished(step: number, logged: ImportedStep | null, drawn: readonly Placed[]): EventBody {
  const groups = [...Map.groupBy(drawn, ({ group }) => group).values()]
  const scored = drawn.every(({ rollout }) => rollout.total !== null)
  const silent = groups.filter((members) =>
    members.every(({ rollout }) => rollout.total === members[0]?.rollout.total),
  ).length
  return {
    type: 'step.finished',
    step,
    loss: logged?.loss ?? null,
    gradNorm: logged?.gradNorm ?? null,
    kl: logged?.kl ?? null,
    entropy: logged?.entropy ?? null,
    lr: logged?.lr ?? null,
    parameterDelta: null,
    rewardMean: logged?.rewardMean ?? null,
    rewardStd: logged?.rewardStd ?? null,
    silentGroups: groups.length > 0 && scored ? silent : null,
    groups: groups.length > 0 ? groups.length : null,
    advantages: {},
    stepMs: null,
  }
}

import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { ImportedRollout, ImportedRun } from './drawn.ts'
import { parseJson } from './trl.ts'

const text = z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish()
const Task = z.looseObject({
  type: z.string().nullish(),
  key: z.string().nullish(),
  hash: z.string().nullish(),
})
const Trace = z.looseObject({
  task: Task.nullish(),
  nodes: z
    .array(
      z.looseObject({
        sampled: z.boolean().nullish(),
        message: z.looseObject({ role: z.string(), content: text }),
        timestamp: z.number().nullish(),
      }),
    )
    .default([]),
  calls: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        usage: z.looseObject({ completion_tokens: z.number() }).nullish(),
      }),
    )
    .default([]),
  rewards: z
    .record(z.string(), z.looseObject({ score: z.number(), weight: z.number().default(1) }).nullable())
    .default({}),
  ok: z.boolean().default(false),
  stop_condition: z.string().nullish(),
  errors: z.array(z.looseObject({ type: z.string() })).default([]),
})
type Trace = z.infer<typeof Trace>

/** One line of `traces.jsonl`: an episode, of one rollout or several. */
const Episode = z.looseObject({
  id: z.string(),
  task: Task.nullish(),
  group: z.looseObject({ id: z.string() }).nullish(),
  run: z
    .looseObject({
      type: z.string(),
      name: z.string().nullish(),
      work: z.looseObject({ type: z.string(), step: z.number().int().min(0) }).nullish(),
    })
    .nullish(),
  errors: z.array(z.looseObject({ type: z.string() })).default([]),
  traces: z.array(Trace),
})

/** Limits of the framework that cut a rollout short. */
const cuts = ['max_turns', 'max_input_tokens', 'max_output_tokens', 'max_total_tokens', 'context_length']

/**
 * Of `traces.jsonl`, as verifiers and prime-rl write it: an episode a line. A torn last line, of an episode that was not finished, is left out.
 * @throws {AppError} `bad_input`, naming the line and the field.
 */
export function readTraces(path: string, whole: string): ImportedRun {
  const lines = whole.split('\n')
  const torn = lines.pop() ?? ''
  const rollouts: ImportedRollout[] = []
  let name: string | null = null
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const parsed = Episode.safeParse(parseJson(`${path}, line ${at + 1}`, line))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      const where = issue?.path.join('.') || 'line'
      throw new AppError('bad_input', `${path}, line ${at + 1}: ${where}: ${issue?.message}.`)
    }
    const { id, group, run, traces, task } = parsed.data
    name ??= run?.name ?? null
    const step = run?.work?.type === 'train' ? run.work.step : null
    for (const trace of traces)
      rollouts.push(rolloutOf(trace, step, group?.id ?? id, trace.task ?? task ?? {}))
  }
  return {
    name: name ?? basename(dirname(path)),
    from: 'verifiers traces',
    steps: [],
    rollouts,
    notes:
      torn.trim() === '' ? [] : ['The last line is torn: its episode was not finished, and is left out.'],
  }
}

function rolloutOf(
  trace: Trace,
  step: number | null,
  group: string,
  task: z.infer<typeof Task>,
): ImportedRollout {
  const replies = trace.nodes.filter(({ sampled, message }) => sampled && message.role === 'assistant')
  const rewards = Object.fromEntries(
    Object.entries(trace.rewards).map(([one, reward]) => [one, reward ? reward.score * reward.weight : null]),
  )
  const scored = Object.values(rewards).filter((value) => value !== null)
  const tokens = trace.calls.flatMap(({ usage }) => usage?.completion_tokens ?? [])
  const at = trace.nodes.at(-1)?.timestamp
  return {
    step,
    group,
    task: nameOf(task),
    completion: contentOf(replies.at(-1)?.message.content),
    tokens: tokens.length === 0 ? null : tokens.reduce((sum, count) => sum + count, 0),
    truncated: cuts.includes(trace.stop_condition ?? '') || trace.calls.at(-1)?.finish_reason === 'length',
    rewards,
    total: scored.length === 0 ? null : scored.reduce((sum, value) => sum + value, 0),
    advantage: null,
    error: trace.errors.at(-1)?.type ?? null,
    at: at ? new Date(at * 1000).toISOString() : null,
  }
}

/** A slash would part a rollout's id. */
const nameOf = ({ key, hash, type }: z.infer<typeof Task>): string =>
  (key ?? hash?.slice(0, 12) ?? type ?? 'task').replaceAll('/', '-').slice(0, 80)

function contentOf(content: z.infer<typeof text>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('\n')
}

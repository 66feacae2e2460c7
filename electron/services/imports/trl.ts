import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { ImportedRollout, ImportedRun, ImportedStep } from './drawn.ts'

const number = z.number().nullish()
/** The fields of `log_history` that say something of a step; Python writes a number that is none as NaN, which the reader made null. */
const Logged = z.looseObject({
  step: z.number().int().min(0),
  loss: number,
  grad_norm: number,
  kl: number,
  entropy: number,
  learning_rate: number,
  reward: number,
  reward_std: number,
  frac_reward_zero_std: number,
})
const TrainerState = z.looseObject({ log_history: z.array(Logged) })

/** Of `trainer_state.json`, as the trainers of TRL leave it beside every checkpoint. @throws {AppError} `bad_input`, naming file and field. */
export function readTrainerState(path: string, text: string): ImportedRun {
  const parsed = TrainerState.safeParse(parseJson(path, text.replace(/\b(NaN|-?Infinity)\b/g, 'null')))
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new AppError('bad_input', `${path}: ${issue?.path.join('.') || 'file'}: ${issue?.message}.`)
  }
  const steps = new Map<number, ImportedStep>()
  for (const row of parsed.data.log_history) {
    // The last line of a run sums it up and says nothing of a step.
    if (row.loss === undefined && row.reward === undefined) continue
    steps.set(row.step, {
      step: row.step,
      loss: row.loss ?? null,
      gradNorm: row.grad_norm ?? null,
      kl: row.kl ?? null,
      entropy: row.entropy ?? null,
      lr: row.learning_rate ?? null,
      rewardMean: row.reward ?? null,
      rewardStd: row.reward_std ?? null,
      silentShare: row.frac_reward_zero_std ?? null,
    })
  }
  return {
    name: basename(dirname(path)) || 'TRL run',
    from: 'TRL',
    steps: [...steps.values()],
    rollouts: [],
    notes: [],
  }
}

/** Columns of a completions table that are no reward. What a reward function logs beside its number is text, and is passed over too. */
const known = new Set(['mode', 'step', 'prompt', 'completion', 'advantage', 'image', 'images'])

/** Of `completions_*.parquet`, as `log_completions=True` writes it. @throws {AppError} `bad_input` */
export async function readCompletions(path: string, bytes: Uint8Array): Promise<ImportedRun> {
  const copy = Uint8Array.from(bytes)
  const rows = await parquetReadObjects({ file: copy.buffer }).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new AppError('bad_input', `${path} is no parquet file that can be read: ${why}.`, { cause })
  })
  const rollouts = rows.map((row, at) => completionOf(path, row, at))
  const names = new Set(rollouts.flatMap(({ rewards }) => Object.keys(rewards)))
  const notes =
    names.size < 2
      ? []
      : [
          `The weights of ${[...names].join(', ')} are not in the file; each is counted as 1, so a total may differ from what was trained on.`,
        ]
  return { name: basename(dirname(path)), from: 'TRL completions', steps: [], rollouts, notes }
}

function completionOf(path: string, row: Record<string, unknown>, at: number): ImportedRollout {
  const fault = (column: string, what: string) =>
    new AppError('bad_input', `${path}: row ${at + 1}: ${column} ${what}.`)
  if (row.step === undefined || row.completion === undefined || row.prompt === undefined)
    throw fault('its columns', 'are not those of TRL’s completions (step, prompt, completion)')
  const step = Number(row.step)
  if (!Number.isInteger(step) || step < 0) throw fault('step', `is ${String(row.step)}`)
  const rewards = Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): [string, number | null][] =>
      known.has(name) || typeof value === 'string' || typeof value === 'object'
        ? value === null && !known.has(name)
          ? [[name, null]]
          : []
        : [[name, finite(value)]],
    ),
  )
  const scored = Object.values(rewards).filter((value) => value !== null)
  const prompt = textOf(row.prompt)
  return {
    step,
    group: prompt,
    task: `prompt-${createHash('sha256').update(prompt).digest('hex').slice(0, 8)}`,
    completion: textOf(row.completion),
    tokens: null,
    truncated: false,
    rewards,
    total: scored.length === 0 ? null : scored.reduce((sum, value) => sum + value, 0),
    advantage: finite(row.advantage),
    error: null,
    at: null,
  }
}

const finite = (value: unknown): number | null => {
  const read = typeof value === 'bigint' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isFinite(read) ? read : null
}

/** A chat is the contents of its messages. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value))
    return value.map((part) => textOf((part as { content?: unknown })?.content ?? '')).join('\n')
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

export function parseJson(where: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError('bad_input', `${where} is no JSON.`, { cause })
  }
}

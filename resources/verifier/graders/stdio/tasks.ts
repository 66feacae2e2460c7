import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { Case, type Limits, Task } from '#shared/domain/suite.ts'
import { normaliseAnswer, normaliseOutput } from '#shared/tasks/answers.ts'
import type { Suite } from '../../suite/load.ts'
import { parseLines } from '../../suite/parse.ts'

/** What a body is: a program that reads and writes, or an answer that is compared and never executed. */
const StdioTask = Task.extend({
  mode: z.enum(['program', 'answer']).default('program'),
  language: z.enum(['python', 'rust', 'c', 'cpp', 'javascript']).optional(),
})
export type Language = NonNullable<z.infer<typeof StdioTask>['language']>

/** `expected` is normalised, so that comparing is comparing texts. */
export type StdioCase = { id: string; input: string; expected: string; written: string }

export type LoadedTask = {
  id: string
  prompt: string
  signature: string
  mode: 'program' | 'answer'
  language: Language | null
  limits: Limits
  cases: StdioCase[]
  reference: string | null
}

/** One case's limits where a task states none; processor time decides about busy loops, the wall clock only about sleepers. */
export const defaultLimits: Limits = {
  wallMs: 10_000,
  cpuMs: 3_000,
  memoryBytes: 512 * 1024 * 1024,
  outputBytes: 4 * 1024 * 1024,
  fileBytes: 1024 * 1024,
  processes: 1,
}

/** @throws AppError `bad_suite` for a task without cases, in no language, or a case whose texts are no JSON strings. */
export function loadStdioTasks(suite: Suite): LoadedTask[] {
  const listing = suite.files.get('tasks.jsonl') ?? Buffer.alloc(0)
  return parseLines(StdioTask, listing, 'tasks.jsonl').map((task) => {
    const given = suite.manifest.language === 'text' ? null : suite.manifest.language
    const language = task.language ?? given
    if (task.mode === 'program' && language === null)
      throw new AppError(
        'bad_suite',
        `Task ${task.id} is a program, and neither it nor the suite says in which language.`,
      )
    const stated = Object.entries(task.limits ?? {}).filter(([, value]) => value !== undefined)
    return {
      id: task.id,
      prompt: task.prompt,
      signature: task.signature,
      mode: task.mode,
      language: task.mode === 'answer' ? null : language,
      limits: { ...defaultLimits, ...Object.fromEntries(stated) },
      cases: casesOf(suite, task.id, task.mode),
      reference: task.reference === null ? null : (suite.files.get(task.reference)?.toString('utf8') ?? null),
    }
  })
}

function casesOf(suite: Suite, id: string, mode: LoadedTask['mode']): StdioCase[] {
  const path = `cases/${id}.jsonl`
  const bytes = suite.files.get(path)
  if (bytes === undefined) throw new AppError('bad_suite', `Task ${id} has no ${path}.`)
  const seen = new Set<string>()
  const cases = parseLines(Case, bytes, path).map((entry) => {
    if (seen.has(entry.id)) throw new AppError('bad_suite', `${path}: case ${entry.id} is there twice.`)
    seen.add(entry.id)
    const written = textOf(entry.expected, `${path}: expected of ${entry.id}`)
    const expected = mode === 'answer' ? normaliseAnswer(written) : normaliseOutput(written)
    if (expected === '')
      throw new AppError(
        'bad_suite',
        `${path}: expected of ${entry.id} is empty: a program that does nothing would pass.`,
      )
    return { id: entry.id, input: textOf(entry.input, `${path}: input of ${entry.id}`), expected, written }
  })
  if (cases.length === 0) throw new AppError('bad_suite', `Task ${id} has no case: nothing could be graded.`)
  return cases
}

function textOf(json: string, where: string): string {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'string') return value
  } catch {
    // Said below.
  }
  throw new AppError('bad_suite', `${where} is no JSON string.`)
}

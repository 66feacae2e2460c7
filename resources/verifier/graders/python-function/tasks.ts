import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import { Case, type Limits, type Task } from '#shared/domain/suite.ts'
import type { Suite } from '../../suite/load.ts'
import { parseLines, parseWith } from '../../suite/parse.ts'
import type { Control } from '../grader.ts'
import { canonicalText } from '../json-text.ts'
import { defaultLimits } from './default-limits.ts'

/** A case with its expected value in canonical spelling, so that comparing is one string comparison. */
export type LoadedCase = Case & { canonical: string }

export type PythonTask = {
  id: string
  prompt: string
  signature: string
  function: string
  limits: Limits
  cases: LoadedCase[]
  reference: string | null
  /** Hand-written ones of the suite: `controls/<task>/<name>.py` with `<name>.json` beside it. */
  controls: Control[]
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

const ControlFile = z.object({
  expected: z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat()),
  reasons: z.array(z.string()).optional(),
})
const verdictStatuses = ['passed', 'test_failed', 'build_failed', 'timed_out', 'tampered'] as const

/** @throws AppError `bad_suite` for a task without a function name or cases, or a case that is no JSON. */
export function loadPythonTasks(suite: Suite): PythonTask[] {
  return suite.tasks.map((task) => ({
    id: task.id,
    prompt: task.prompt,
    signature: task.signature,
    function: functionOf(task),
    limits: { ...defaultLimits, ...stripUndefined(task.limits ?? {}) },
    cases: casesOf(suite, task.id),
    reference: task.reference === null ? null : (suite.files.get(task.reference)?.toString('utf8') ?? null),
    controls: controlsOf(suite, task.id),
  }))
}

function stripUndefined(limits: Partial<Record<keyof Limits, number | undefined>>): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}

/** The key `function`, else the name in the signature. */
function functionOf(task: Task): string {
  const named = task.function
  const name = typeof named === 'string' ? named : /(?:^|\s)([A-Za-z_]\w*)\s*\(/.exec(task.signature)?.[1]
  if (name !== undefined && identifier.test(name)) return name
  throw new AppError('bad_suite', `Task ${task.id} names no Python function in "function" or its signature.`)
}

function casesOf(suite: Suite, id: string): LoadedCase[] {
  const path = `cases/${id}.jsonl`
  const bytes = suite.files.get(path)
  if (bytes === undefined) throw new AppError('bad_suite', `Task ${id} has no ${path}.`)
  const seen = new Set<string>()
  const cases = parseLines(Case, bytes, path).map((entry) => {
    const canonical = canonicalText(entry.expected)
    if (canonical === null) throw new AppError('bad_suite', `${path}: expected of ${entry.id} is no JSON.`)
    if (!canonicalText(entry.input)?.startsWith('[')) {
      throw new AppError('bad_suite', `${path}: input of ${entry.id} is no JSON list of arguments.`)
    }
    if (seen.has(entry.id)) throw new AppError('bad_suite', `${path}: case ${entry.id} is there twice.`)
    seen.add(entry.id)
    return { ...entry, canonical }
  })
  if (cases.length === 0) throw new AppError('bad_suite', `Task ${id} has no case: nothing could be graded.`)
  return cases
}

function controlsOf(suite: Suite, id: string): Control[] {
  const prefix = `controls/${id}/`
  return [...suite.files.keys()]
    .filter((path) => path.startsWith(prefix) && path.endsWith('.py'))
    .sort()
    .map((path) => {
      const beside = path.replace(/\.py$/, '.json')
      const text = suite.files.get(beside)?.toString('utf8')
      if (text === undefined)
        throw new AppError('bad_suite', `${path} has no ${beside} that says what to expect.`)
      const { expected, reasons } = parseWith(ControlFile, text, beside)
      const statuses = verdictStatuses.filter((status) => expected.includes(status))
      if (statuses.length !== expected.length) {
        throw new AppError('bad_suite', `${beside}: expected must be of ${verdictStatuses.join(', ')}.`)
      }
      return {
        name: path.slice(prefix.length, -'.py'.length),
        expected: statuses,
        ...(reasons === undefined ? {} : { reasons }),
        body: suite.files.get(path)?.toString('utf8') ?? '',
      }
    })
}

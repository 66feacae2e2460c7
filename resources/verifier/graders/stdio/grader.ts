import { rm } from 'node:fs/promises'
import { AppError } from '#shared/base/errors.ts'
import { normaliseAnswer } from '#shared/tasks/answers.ts'
import type { Suite } from '../../suite/load.ts'
import { listingsOf, slotsWithoutCaches } from '../by-cases.ts'
import type { GradeJob, Grader, GraderOptions, Verdict } from '../grader.ts'
import { knownProgram, stdioControls } from './controls.ts'
import { gradeProgram } from './grade-program.ts'
import { findToolchain, type Missing, type Toolchain } from './languages.ts'
import { findPlace, type Place } from './place.ts'
import { type Language, type LoadedTask, loadStdioTasks } from './tasks.ts'

/**
 * The grader of programs that read their input and write their output, and of answers that are compared as texts. A language whose toolchain
 * is not on this machine is no error at start: its bodies are `unresolved`, never 0.
 * @throws AppError `bad_suite`.
 */
export async function openStdioGrader(suite: Suite, options: GraderOptions): Promise<Grader> {
  const tasks = new Map(loadStdioTasks(suite).map((task) => [task.id, task]))
  const place = await findPlace(options.scratch)
  const toolchains = new Map<Language, Toolchain | Missing>()
  for (const language of new Set([...tasks.values()].flatMap((task) => task.language ?? []))) {
    const found = await workingToolchain(place, language, `${options.scratch}/self-test`)
    options.log('missing' in found ? `${language}: ${found.missing}` : `${language}: ${found.version}`)
    toolchains.set(language, found)
  }

  const taskOf = (id: string): LoadedTask => {
    const task = tasks.get(id)
    if (task === undefined) throw new AppError('unknown_task', `The suite has no task ${id}.`)
    return task
  }
  const run = (slot: number, task: LoadedTask, body: string, signal: AbortSignal): Promise<Verdict> => {
    if (task.language === null) return Promise.resolve(gradeAnswer(task, body))
    const toolchain = toolchains.get(task.language)
    if (toolchain === undefined || 'missing' in toolchain) return Promise.resolve(ungraded(toolchain))
    return gradeProgram(place, toolchain, `${options.scratch}/slots/${slot}`, task, body, signal)
  }

  /** What a machine in trouble could bring about as well is the body's own only if the reference body does not meet it. */
  const gradeIn = async (slot: number, { task: id, body, signal }: GradeJob): Promise<Verdict> => {
    const task = taskOf(id)
    const verdict = await run(slot, task, body, signal)
    if (!isDoubtful(verdict) || task.reference === null) return verdict
    const proof = await run(slot, task, task.reference, signal)
    return proof.status === 'passed'
      ? verdict
      : { ...verdict, status: 'unresolved', reason: 'reference_failed_too' }
  }

  return {
    kind: 'stdio',
    version: '1',
    isolation: place.isolation,
    isolationDetail: place.detail,
    commit: null,
    tasks: () => listingsOf(tasks.values()),
    ...slotsWithoutCaches(gradeIn),
    controls: (id) => stdioControls(taskOf(id)),
    dispose: async () => undefined,
  }
}

/** A toolchain that builds and runs a program whose output is known: one that is there and does not work says nothing about a body. */
async function workingToolchain(
  place: Place,
  language: Language,
  root: string,
): Promise<Toolchain | Missing> {
  const toolchain = await findToolchain(language)
  if ('missing' in toolchain) return toolchain
  const signal = new AbortController().signal
  const { status, output, tests } = await gradeProgram(
    place,
    toolchain,
    root,
    ...knownProgram(language),
    signal,
  )
  await rm(root, { recursive: true, force: true })
  if (status === 'passed') return toolchain
  const said = tests[0]?.detail ?? output[0]?.text.trim().split('\n').at(-1) ?? ''
  return { missing: `${toolchain.version} does not work here: ${said}` }
}

/** The wall clock, and a compiler that something ended: processor time is the body's own. */
const isDoubtful = ({ status, reason }: Verdict) =>
  (status === 'timed_out' && reason !== 'cpu_limit') || reason === 'compiler_ended'

const ungraded = (found: Missing | undefined): Verdict => ({
  status: 'unresolved',
  reason: 'toolchain_missing',
  tests: [],
  buildMs: null,
  testMs: null,
  cache: 'fresh',
  output: [
    {
      name: 'toolchain',
      text: found?.missing ?? 'no toolchain for this language',
      cutBytes: 0,
      limitBytes: 2_000,
    },
  ],
})

function gradeAnswer({ cases }: LoadedTask, body: string): Verdict {
  const observed = normaliseAnswer(body)
  const tests = cases.map(({ id, expected, written }) => ({
    name: id,
    outcome: observed === expected ? ('passed' as const) : ('failed' as const),
    ms: 0,
    expected: JSON.stringify(written),
    observed: JSON.stringify(body.slice(0, 2_000)),
  }))
  const passed = tests.every((test) => test.outcome === 'passed')
  return {
    status: passed ? 'passed' : 'test_failed',
    reason: null,
    tests,
    buildMs: null,
    testMs: 0,
    cache: 'fresh',
    output: [],
  }
}

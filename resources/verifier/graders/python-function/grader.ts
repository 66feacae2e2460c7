import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Suite } from '../../suite/load.ts'
import { listingsOf, slotsWithoutCaches } from '../by-cases.ts'
import type { GradeJob, Grader, GraderOptions, Verdict } from '../grader.ts'
import { pythonControls } from './controls.ts'
import { findPython } from './interpreter.ts'
import { findLauncher } from './launch.ts'
import { pinnedCommit } from './pinned-commit.ts'
import { selfTest } from './self-test.ts'
import { type Program, runProgram } from './session.ts'
import { Standby } from './standby.ts'
import { loadPythonTasks, type PythonTask } from './tasks.ts'
import { verdictOf } from './verdict.ts'

/**
 * The grader of Python functions: one sandbox a body, the body compiled once, then a fresh child of the sandbox's supervisor for each input.
 * @throws AppError `python_missing`, `bad_suite`, `git_failed` where a pinned commit is not what the suite was read from.
 */
export async function pythonFunctionGrader(suite: Suite, options: GraderOptions): Promise<Grader> {
  const tasks = new Map(loadPythonTasks(suite).map((task) => [task.id, task]))
  const python = await findPython()
  const commit = await pinnedCommit(options)
  const secrets = [join(options.suiteFolder, 'suite.json')]
  const launcher = await findLauncher(python, options.scratch, secrets, (candidate) =>
    selfTest(candidate, python),
  )

  const standby = new Standby(launcher, python.harness)

  const taskOf = (id: string): PythonTask => {
    const task = tasks.get(id)
    if (task === undefined) throw new AppError('unknown_task', `The suite has no task ${id}.`)
    return task
  }
  const run = async (slot: number, task: PythonTask, body: string, inputs: string[], signal: AbortSignal) => {
    const program: Program = { function: task.function, body, inputs, limits: task.limits }
    const sandbox = standby.take(slot, task.limits)
    const running = runProgram(launcher, sandbox, slot, program, signal)
    standby.prepare(slot, task.limits)
    const report = await running
    // One that died while it waited says nothing about the program, which has not been told to it whole.
    if (report.phase !== 'start' || !sandbox.ahead) return report
    return runProgram(launcher, standby.take(slot, task.limits), slot, program, signal)
  }

  const gradeIn = async (slot: number, job: GradeJob): Promise<Verdict> => {
    const task = taskOf(job.task)
    const inputs = task.cases.map((entry) => entry.input)
    const report = await run(slot, task, job.body, inputs, job.signal)
    const verdict = verdictOf(report, task.cases)
    if (!isDoubtful(verdict) || task.reference === null) return verdict
    // Only if the reference body meets the same is it the machine's fault and not the body's own.
    const proof = verdictOf(await run(slot, task, task.reference, inputs, job.signal), task.cases)
    if (proof.status === 'passed') return verdict
    return { ...verdict, status: 'unresolved', reason: 'reference_failed_too' }
  }

  return {
    kind: 'python-function',
    version: '1',
    isolation: launcher.isolation,
    isolationDetail: launcher.detail,
    commit,
    tasks: () => listingsOf(tasks.values()),
    ...slotsWithoutCaches(gradeIn),
    controls: (id) => pythonControls(taskOf(id)),
    dispose: async () => {
      standby.dispose()
      launcher.dispose()
    },
  }
}

/** What a machine in trouble could cause as well as a body: a clock that ran out, a sandbox or a compiler that was ended from outside. */
const isDoubtful = ({ status, reason }: Verdict) =>
  (status === 'timed_out' && reason !== 'cpu_limit') ||
  reason === 'sandbox_killed' ||
  reason === 'compile_limit' ||
  reason === 'compiler_crashed'

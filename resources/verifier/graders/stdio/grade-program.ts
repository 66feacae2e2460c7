import type { TestOutcome } from '#shared/domain/grade.ts'
import { normaliseOutput } from '#shared/tasks/answers.ts'
import { evidenceText } from '../cargo/evidence-text.ts'
import type { ProcessResult } from '../cargo/run-process.ts'
import type { Verdict } from '../grader.ts'
import type { Toolchain } from './languages.ts'
import { layOut, type Place, type Work } from './place.ts'
import type { LoadedTask, StdioCase } from './tasks.ts'

/** Of one observed output; what is longer is cut and says so. */
const shownChars = 2_000

type Parts = Pick<Verdict, 'status' | 'reason'> & Partial<Verdict>
const verdict = (parts: Parts): Verdict => ({
  tests: [],
  buildMs: null,
  testMs: null,
  cache: 'fresh',
  output: [],
  ...parts,
})

/** Builds a program in `root` and runs it on every case, each in a sandbox of its own. */
export async function gradeProgram(
  place: Place,
  toolchain: Toolchain,
  root: string,
  task: LoadedTask,
  body: string,
  signal: AbortSignal,
): Promise<Verdict> {
  const work = await layOut(root, toolchain.file, body)
  const built = await place.build(work, toolchain.build(place.seen(work)), signal)
  const output = [evidenceText('build', `${built.stdout}${built.stderr}`, built.cutBytes)]
  const said = { buildMs: built.ms, output }
  if (built.timedOut || isCpuLimit(built))
    return verdict({ status: 'timed_out', reason: 'build_time_limit', ...said })
  if (built.code !== 0) return verdict({ status: 'build_failed', reason: buildReason(built), ...said })
  const started = performance.now()
  const tests = await runCases(place, toolchain, work, task, signal)
  return verdict({ ...judge(tests), tests, testMs: performance.now() - started, ...said })
}

/** A compiler that was ended from outside says nothing about the body; see the grader. */
const buildReason = ({ signal, code }: ProcessResult) =>
  signal !== null || code === 137 || code === 134 ? 'compiler_ended' : 'compile_error'

async function runCases(
  place: Place,
  toolchain: Toolchain,
  work: Work,
  task: LoadedTask,
  signal: AbortSignal,
): Promise<TestOutcome[]> {
  const command = toolchain.run(place.seen(work), task.limits)
  const tests: TestOutcome[] = []
  let late = false
  for (const one of task.cases) {
    if (late) {
      tests.push({
        name: one.id,
        outcome: 'not_run',
        ms: null,
        expected: JSON.stringify(one.written),
        observed: null,
      })
      continue
    }
    const result = await place.run(work, command, task.limits, Buffer.from(one.input), signal)
    const test = outcomeOf(task, one, result)
    tests.push(test)
    // A program that does not end would take its limit once a case; what decides the whole grade spares the rest.
    late = test.outcome === 'timed_out'
  }
  return tests
}

function outcomeOf(task: LoadedTask, one: StdioCase, result: ProcessResult): TestOutcome {
  const base = {
    name: one.id,
    ms: result.ms,
    expected: JSON.stringify(cut(one.written)),
    observed: JSON.stringify(cut(result.stdout)),
  }
  if (result.timedOut) return { ...base, outcome: 'timed_out', detail: 'wall_limit' }
  if (isCpuLimit(result) || (isKilled(result) && result.ms > task.limits.cpuMs))
    return { ...base, outcome: 'timed_out', detail: 'cpu_limit' }
  if (result.flooded) return { ...base, outcome: 'failed', detail: 'output_limit' }
  if (result.code !== 0) return { ...base, outcome: 'crashed', detail: ended(result) }
  return { ...base, outcome: normaliseOutput(result.stdout) === one.expected ? 'passed' : 'failed' }
}

/** A limit that the kernel enforces ends the program by a signal, which a sandbox tells on as 128 and its number. */
const isCpuLimit = ({ code, signal }: ProcessResult) => signal === 'SIGXCPU' || code === 152

/** One that passes over the first signal meets the second a second later. */
const isKilled = ({ code, signal }: ProcessResult) => signal === 'SIGKILL' || code === 137

const ended = ({ code, signal, stderr }: ProcessResult) =>
  `${signal ?? `exit ${code}`}${stderr === '' ? '' : `: ${cut(stderr.trim().split('\n').at(-1) ?? '')}`}`

const cut = (text: string) => (text.length > shownChars ? `${text.slice(0, shownChars)}…` : text)

function judge(tests: TestOutcome[]): Pick<Verdict, 'status' | 'reason'> {
  const late = tests.find((test) => test.outcome === 'timed_out')
  if (late) return { status: 'timed_out', reason: late.detail ?? 'wall_limit' }
  if (tests.every((test) => test.outcome === 'passed')) return { status: 'passed', reason: null }
  if (tests.some((test) => test.detail === 'output_limit'))
    return { status: 'test_failed', reason: 'output_limit' }
  return {
    status: 'test_failed',
    reason: tests.some((test) => test.outcome === 'crashed') ? 'crashed' : null,
  }
}

import { AppError } from '#shared/base/errors.ts'
import type { TestOutcome } from '#shared/domain/grade.ts'
import type { Verdict } from '../grader.ts'
import type { Build } from './build.ts'
import { evidenceText } from './evidence-text.ts'
import type { GradePlace, GradePlan } from './grade-body.ts'
import type { TestReading } from './harness-output.ts'
import type { Prepared } from './prepared.ts'
import { runTest, type TestRunResult } from './run-tests.ts'
import { type CargoTest, targetKey } from './task.ts'

type Scored = Pick<Verdict, 'status' | 'reason' | 'tests' | 'testMs' | 'output'> & { readings: TestReading[] }
type Item = { test: CargoTest; control: boolean; run: TestRunResult | null }

/** Runs every scored test and negative control, each in a process of its own, and says what they show together. */
export async function scoreTests(
  place: GradePlace,
  plan: GradePlan,
  prepared: Prepared,
  built: Build,
  signal?: AbortSignal,
): Promise<Scored> {
  const started = performance.now()
  const items: Item[] = [
    ...plan.task.tests.map((test) => ({ test, control: false, run: null })),
    ...plan.task.negativeControls.map((test) => ({ test, control: true, run: null })),
  ]
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) {
      item.run = await runOne(place, plan, prepared, built, item.test, signal)
      // What decides the whole grade spares the rest: a body that never ends would take its limit once a test.
      if (['tampered', 'timed_out', 'missing'].includes(item.run.reading.outcome)) waiting.length = 0
    }
  }
  await Promise.all(Array.from({ length: place.jobs }, work))
  const tests = items.map(outcomeOf)
  return {
    ...judge(items, tests),
    tests,
    testMs: performance.now() - started,
    output: items.flatMap((item) => (item.run ? [evidenceOf(item, item.run)] : [])),
    readings: items.flatMap((item) => (item.run ? [item.run.reading] : [])),
  }
}

function runOne(
  place: GradePlace,
  plan: GradePlan,
  prepared: Prepared,
  built: Build,
  test: CargoTest,
  signal?: AbortSignal,
): Promise<TestRunResult> {
  const key = targetKey(test.target)
  const binary = built.binaries.get(key)
  const canary = prepared.canaries.get(key)
  if (binary === undefined || !canary) throw new AppError('internal', `There is no test binary for ${key}.`)
  return runTest(place.confinement, place.slot, {
    test,
    binary,
    canary,
    programs: built.programs,
    packageFolder: plan.taskSite.packageFolder,
    packageName: plan.task.crate,
    timeoutMs: plan.limits.testMs,
    memoryBytes: plan.limits.testMemoryBytes,
    wide: plan.wide,
    signal,
  })
}

/** For a control `passed` means that it held: it failed, as it must on a right body. */
function outcomeOf({ test, control, run }: Item): TestOutcome {
  const name = targetKey(test.target) === 'lib' ? test.name : `${test.target.name}::${test.name}`
  const base = { name, ms: run ? run.result.ms : null, ...(control ? { control } : {}) }
  if (!run || run.reading.outcome === 'missing') return { ...base, outcome: 'not_run' }
  const { outcome } = run.reading
  const detail = 'reason' in run.reading ? { detail: run.reading.reason } : {}
  if (!control || outcome === 'tampered' || outcome === 'timed_out') return { ...base, outcome, ...detail }
  return { ...base, outcome: outcome === 'passed' ? 'failed' : 'passed', ...detail }
}

function judge(items: Item[], tests: TestOutcome[]): Pick<Verdict, 'status' | 'reason'> {
  const find = (outcome: TestReading['outcome']) =>
    items.map((item) => item.run?.reading).find((reading) => reading?.outcome === outcome)
  const tampered = find('tampered')
  if (tampered && 'reason' in tampered) return { status: 'tampered', reason: tampered.reason }
  if (find('timed_out')) return { status: 'timed_out', reason: 'time_limit' }
  if (find('missing')) return { status: 'no_test_ran', reason: 'test_not_found' }
  if (tests.every((test) => test.outcome === 'passed')) return { status: 'passed', reason: null }
  const crashed = find('crashed')
  return { status: 'test_failed', reason: crashed && 'reason' in crashed ? 'crashed' : null }
}

function evidenceOf({ test, control }: Item, { result }: TestRunResult) {
  const name = `${control ? 'control' : 'test'} ${targetKey(test.target)} ${test.name}`
  const ended = result.signal ?? `exit ${result.code}`
  return evidenceText(
    name,
    `${result.stdout}${result.stderr}[${ended}, ${Math.round(result.ms)} ms]\n`,
    result.cutBytes,
  )
}

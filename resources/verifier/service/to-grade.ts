import { AppError } from '#shared/base/errors.ts'
import { type Grade, scoreOf } from '#shared/domain/grade.ts'
import type { Verdict } from '../graders/grader.ts'

/** What every grade of one service carries beside its finding. */
export type Identity = Pick<Grade, 'suite' | 'commit' | 'verifier' | 'isolation'>

/**
 * A verdict as a grade. The reward follows from it alone: 1 for `passed`, partial credit below 1 for `test_failed` (see `scoreOf`), null
 * where the grader is silent, 0 for the rest. The wait for a slot and the evidence's name belong to a reply, not to the finding: null here.
 * @throws AppError `internal` for a verdict that contradicts itself: a `test_failed` of full marks.
 */
export function toGrade(verdict: Verdict, identity: Identity, bodySha256: string): Grade {
  const scored = verdict.tests.filter((test) => test.control !== true)
  const passed = scored.filter((test) => test.outcome === 'passed').length
  return {
    status: verdict.status,
    reward: rewardOf(verdict, passed, scored.length),
    reason: verdict.reason,
    tests: verdict.tests,
    total: scored.length === 0 ? null : scored.length,
    passed: scored.length === 0 ? null : passed,
    buildMs: verdict.buildMs,
    testMs: verdict.testMs,
    queueMs: null,
    cache: verdict.cache,
    bodySha256,
    ...identity,
    ...verdict.by,
    evidenceSha256: null,
  }
}

function rewardOf(verdict: Verdict, passed: number, total: number): number | null {
  switch (verdict.status) {
    case 'passed':
      return 1
    case 'test_failed': {
      const controls = verdict.tests.filter((test) => test.control === true)
      const broken = controls.filter((test) => test.outcome !== 'passed').length
      const score =
        total === 0 ? 0 : scoreOf({ passed, total, controlsPassed: broken, controls: controls.length })
      if (score < 1) return score
      throw new AppError('internal', 'The grader gave test_failed although every test passed.')
    }
    case 'build_failed':
    case 'timed_out':
    case 'tampered':
      return 0
    case 'no_test_ran':
    case 'unresolved':
      return null
  }
}

/** A verdict that names no test: the body never came to run. */
export const untested = (status: Verdict['status'], reason: string): Verdict => ({
  status,
  reason,
  tests: [],
  buildMs: null,
  testMs: null,
  cache: 'fresh',
  output: [],
})

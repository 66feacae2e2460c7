import { z } from 'zod'
import { Evidence } from '#shared/domain/verifier.ts'
import type { VerdictStatus } from '../grader.ts'
import type { Graded, GradeLimits } from './grade-body.ts'
import type { CargoTask } from './task.ts'

const GiB = 1024 ** 3

/**
 * What the reference body showed on this machine. `ok` false: it met the trouble too, so that no body of the task can be graded: the crate
 * does not build, a test is not there, the reference fails.
 */
export const Baseline = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), buildMs: z.number(), testMs: z.number(), wide: z.boolean() }),
  z.object({
    ok: z.literal(false),
    status: z.enum(['no_test_ran', 'unresolved']),
    reason: z.string(),
    output: Evidence.shape.output,
  }),
])
export type Baseline = z.infer<typeof Baseline>

/** Limits for the reference body itself, which no measurement bounds yet: those of a crate of a large workspace on a slow machine. */
export const firstLimits: GradeLimits = {
  buildMs: 900_000,
  testMs: 60_000,
  buildMemoryBytes: 12 * GiB,
  testMemoryBytes: 4 * GiB,
}

/** A body that does more than the reference, on a machine under load, stays within ten times; the floors are for what takes milliseconds. */
const times = 10
const floors = { buildMs: 20_000, testMs: 3_000 }

/** @returns the limits for any body of the task; what the task states itself goes first. */
export function limitsFrom(baseline: { buildMs: number; testMs: number }, task: CargoTask): GradeLimits {
  return {
    buildMs: Math.max(floors.buildMs, times * baseline.buildMs),
    testMs: task.limits?.wallMs ?? Math.max(floors.testMs, times * baseline.testMs),
    buildMemoryBytes: 8 * GiB,
    testMemoryBytes: task.limits?.memoryBytes ?? 2 * GiB,
  }
}

/** @param wide whether the tests were let start processes and see `/proc`. */
export function baselineOf(graded: Graded, wide: boolean): Baseline {
  const { status, reason, output } = graded
  if (status === 'passed') {
    const testMs = Math.max(...graded.tests.map((test) => test.ms ?? 0))
    return { ok: true, buildMs: graded.buildMs ?? 0, testMs, wide }
  }
  if (status === 'no_test_ran') return { ok: false, status, reason: reason ?? 'test_not_found', output }
  const why: Partial<Record<VerdictStatus, string>> = {
    build_failed: 'reference_does_not_build',
    timed_out: 'reference_times_out',
  }
  return { ok: false, status: 'unresolved', reason: why[status] ?? 'reference_fails', output }
}

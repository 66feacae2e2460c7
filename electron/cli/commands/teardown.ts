import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import type { TeardownReport } from '#shared/domain/lease.ts'
import { print, printJson, table } from '../output.ts'
import { withCore } from '../with-core.ts'
import { parseRun } from './runs.ts'

export function addTeardown(program: Command): void {
  program
    .command('teardown <run>')
    .description('end a run and give back all that it holds, evidence first; says what it looked at')
    .option('--plan', 'only say what would be done')
    .option('--json', 'print {plan, released, left}')
    .action(teardown)
}

async function teardown(name: string, options: { plan?: true; json?: true }): Promise<void> {
  const run = parseRun(name)
  const report = await withCore(async (core) => {
    const planned = await core.handlers['teardown.plan']({ run })
    if (options.plan) return planned
    return core.handlers['teardown.run']({ run, confirm: planned.plan.map((row) => row.lease) })
  })
  if (options.json) printJson(report)
  else print(reportInWords(report))
  failIfLeft(report, run)
}

/** @throws {AppError} `leaked`, naming what is left and why. */
export function failIfLeft(report: TeardownReport, what: string): void {
  const first = report.left[0]
  if (!first) return
  throw new AppError(
    'leaked',
    `${report.left.length} thing(s) of ${what} are left: ${first.label}: ${first.proof}.`,
  )
}

export function reportInWords({ plan, released, left }: TeardownReport): string {
  const done = [
    ...released.map((row) => ['released', row] as const),
    ...left.map((row) => ['left', row] as const),
  ]
  const rows = done.length > 0 ? done : plan.map((row) => ['would release', row] as const)
  if (rows.length === 0) return 'Nothing is held.'
  return table(
    ['', 'kind', 'what', 'proof'],
    rows.map(([action, row]) => [action, row.kind, row.label, row.proof ?? '']),
  )
}

import type { Command } from 'commander'
import type { VerifierClient } from '#services/verifier/client.ts'
import { AppError } from '#shared/base/errors.ts'
import type { ControlsReport } from '#shared/domain/verifier.ts'
import { Progress, print, printJson, table } from '../output.ts'
import { type VerifierOptions, withVerifier, withVerifierOptions } from '../with-verifier.ts'

export function addControls(program: Command): void {
  const command = program
    .command('controls')
    .description('the grader’s self-test on a suite: bodies whose grade is known must get it')
  withVerifierOptions(command)
    .option('--task <id>', 'one task; left out, all')
    .option('--json', 'print {tasks, controls, holds}')
    .action(controls)
}

async function controls(
  options: Omit<VerifierOptions, 'workers'> & { task?: string; json?: true },
): Promise<void> {
  const report = await withVerifier({ ...options, workers: 2 }, 'ringside controls', (client, stopped) =>
    testAll(client, options.task, stopped),
  )
  if (options.json) printJson(report)
  else print(inWords(report))
  const broken = report.controls.filter((control) => !control.holds).length
  if (!report.holds) {
    throw new AppError('controls_failed', `${broken} of ${report.controls.length} controls do not hold.`)
  }
}

async function testAll(
  client: VerifierClient,
  only: string | undefined,
  stopped: AbortSignal,
): Promise<ControlsReport> {
  const listed = (await client.tasks()).map((task) => task.id)
  if (only !== undefined && !listed.includes(only)) {
    throw new AppError('unknown_task', `--task ${only}: the suite has ${listed.slice(0, 10).join(', ')}.`, {
      hint: 'Use one of these.',
    })
  }
  const tasks = only === undefined ? listed : [only]
  const progress = new Progress()
  const report: ControlsReport = { tasks: tasks.length, controls: [], holds: true }
  for (const [index, task] of tasks.entries()) {
    progress.show('controls', task, index / tasks.length)
    const { controls: found, holds } = await client.controls(task, stopped)
    report.controls.push(...found)
    report.holds &&= holds
  }
  progress.close()
  return report
}

function inWords({ controls: rows, holds }: ControlsReport): string {
  const lines = rows.map((row) => [
    row.holds ? 'holds' : 'FAILS',
    row.task,
    row.control,
    row.expected,
    row.got,
  ])
  const verdict = holds ? 'The grader’s controls hold.' : 'The grader’s controls do not hold.'
  return `${table(['', 'task', 'control', 'expected', 'got'], lines)}\n${verdict}`
}

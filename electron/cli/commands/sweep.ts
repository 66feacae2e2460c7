import type { Command } from 'commander'
import { dataFolder, rooms } from '#services/core/data-folder.ts'
import { AppError } from '#shared/base/errors.ts'
import { print, printJson } from '../output.ts'
import { withCore } from '../with-core.ts'
import { failIfLeft, reportInWords } from './teardown.ts'

export function addSweep(program: Command): void {
  program
    .command('sweep')
    .description('give back what earlier consoles left on this machine and no run needs')
    .option('--context <name>', 'Kubernetes context')
    .option('--namespace <name>', 'Kubernetes namespace')
    .option('--json', 'print {plan, released, left}')
    .action(sweep)
}

async function sweep(options: { context?: string; namespace?: string; json?: true }): Promise<void> {
  if (options.context !== undefined || options.namespace !== undefined) {
    throw new AppError('bad_input', '--context and --namespace: sweeping a cluster is not supported yet.', {
      hint: 'Leave them out to sweep this machine.',
    })
  }
  const { sweepLocal } = await import('#services/leases/sweep.ts')
  const home = dataFolder()
  const report = await withCore(({ parts }) =>
    sweepLocal({ ...parts, home, boxes: rooms(home).boxes, scratch: rooms(home).scratch }),
  )
  if (options.json) printJson(report)
  else print(reportInWords(report))
  failIfLeft(report, 'this machine')
}

import type { Command } from 'commander'
import { dataFolder, rooms } from '#services/core/data-folder.ts'
import { AppError } from '#shared/base/errors.ts'
import type { TeardownReport, TeardownRow } from '#shared/domain/lease.ts'
import { print, printJson } from '../output.ts'
import { withCore } from '../with-core.ts'
import { failIfLeft, reportInWords } from './teardown.ts'

export function addSweep(program: Command): void {
  program
    .command('sweep')
    .description(
      'give back what earlier consoles left on this machine and no run needs; with --context, list what of ours is in a cluster',
    )
    .option('--context <name>', 'Kubernetes context: look there, in every namespace that one may list')
    .option('--namespace <name>', 'of that cluster, only this namespace')
    .option('--confirm <lease...>', 'remove these of the list, named as it names them')
    .option('--confirm-run <run...>', 'remove everything of these runs')
    .option('--json', 'print {plan, released, left}')
    .action(sweep)
}

type Options = {
  context?: string
  namespace?: string
  confirm?: string[]
  confirmRun?: string[]
  json?: true
}

async function sweep(options: Options): Promise<void> {
  if (options.context !== undefined) return sweepThere(options.context, options)
  if (options.namespace !== undefined || options.confirm || options.confirmRun)
    throw new AppError('bad_input', '--namespace and --confirm are about a cluster: name its context.', {
      hint: 'Add --context NAME, or leave them out to sweep this machine.',
    })
  const { sweepLocal } = await import('#services/leases/sweep.ts')
  const home = dataFolder()
  const report = await withCore(({ parts }) =>
    sweepLocal({ ...parts, home, boxes: rooms(home).boxes, scratch: rooms(home).scratch }),
  )
  if (options.json) printJson(report)
  else print(reportInWords(report))
  failIfLeft(report, 'this machine')
}

/** Without a confirmation it only lists; what was not confirmed is not a failure. */
async function sweepThere(context: string, options: Options): Promise<void> {
  const { sweepCluster } = await import('#services/kube/sweep.ts')
  const named = [...(options.confirm ?? []), ...(options.confirmRun ?? [])]
  const wanted = (row: TeardownRow) =>
    named.some((name) => row.lease === name || row.lease.startsWith(`${name}/`))
  const report = await withCore(({ parts }) =>
    sweepCluster({
      ...parts,
      context,
      namespace: options.namespace ?? null,
      now: new Date(),
      confirm: named.length === 0 ? null : wanted,
    }),
  )
  for (const problem of report.problems) process.stderr.write(`${problem}\n`)
  const { problems: _said, ...rest } = report
  if (options.json) printJson(rest)
  else print(clusterInWords(rest))
  failIfLeft({ ...rest, left: rest.left.filter(wanted) }, context)
}

const clusterInWords = (report: TeardownReport): string => {
  const words = reportInWords(report)
  if (report.plan.length === 0 || report.released.length + report.left.length > 0) return words
  return `${words}\n\nNothing was removed. To remove: --confirm LEASE…, or --confirm-run RUN…, with\n${report.plan.map((row) => `  ${row.lease}  (${row.proof})`).join('\n')}`
}

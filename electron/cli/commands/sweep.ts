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
    .option('--box <box>', 'look on a box instead, for runs and pinned names that nothing here knows of')
    .option('--context <name>', 'Kubernetes context: look there, in every namespace that one may list')
    .option('--namespace <name>', 'of that cluster, only this namespace')
    .option('--confirm <lease...>', 'remove these of the list, named as it names them')
    .option('--confirm-run <run...>', 'remove everything of these runs')
    .option('--json', 'print {plan, released, left}')
    .action(sweep)
}

type Options = {
  box?: string
  context?: string
  namespace?: string
  confirm?: string[]
  confirmRun?: string[]
  json?: true
}

async function sweep(options: Options): Promise<void> {
  if (options.box !== undefined) return sweepOnBox(options.box, options)
  if (options.context !== undefined) return sweepThere(options.context, options)
  if (options.namespace !== undefined || options.confirm || options.confirmRun)
    throw new AppError(
      'bad_input',
      '--namespace and --confirm are about a cluster or a box: name its context.',
      {
        hint: 'Add --context NAME, or leave them out to sweep this machine.',
      },
    )
  const { sweepLocal } = await import('#services/leases/sweep.ts')
  const home = dataFolder()
  const report = await withCore(({ parts }) =>
    sweepLocal({ ...parts, home, boxes: rooms(home).boxes, scratch: rooms(home).scratch }),
  )
  if (options.json) printJson(report)
  else print(reportInWords(report))
  failIfLeft(report, 'this machine')
}

/** As `sweepThere`: what nothing here knows of may be another console's. */
async function sweepOnBox(box: string, options: Options): Promise<void> {
  const { sweepBox } = await import('#services/box/ssh/sweep-box.ts')
  const wanted = isNamed([
    ...(options.confirm ?? []),
    ...(options.confirmRun ?? []).map((run) => `stray/${box}/${run}`),
  ])
  const report = await withCore(({ parts }) => sweepBox({ ...parts, box, confirm: wanted }))
  if (options.json) printJson(report)
  else print(clusterInWords(report))
  failIfLeft({ ...report, left: report.left.filter((row) => wanted?.(row) ?? false) }, box)
}

/** By its own name or a name in front of it; null where nothing was named. */
function isNamed(named: string[]): ((row: TeardownRow) => boolean) | null {
  if (named.length === 0) return null
  return (row) => named.some((name) => row.lease === name || row.lease.startsWith(`${name}/`))
}

/** Without a confirmation it only lists; what was not confirmed is not a failure. */
async function sweepThere(context: string, options: Options): Promise<void> {
  const { sweepCluster } = await import('#services/kube/sweep.ts')
  const wanted = isNamed([...(options.confirm ?? []), ...(options.confirmRun ?? [])])
  const report = await withCore(({ parts }) =>
    sweepCluster({
      ...parts,
      context,
      namespace: options.namespace ?? null,
      now: new Date(),
      confirm: wanted,
    }),
  )
  for (const problem of report.problems) process.stderr.write(`${problem}\n`)
  const { problems: _said, ...rest } = report
  if (options.json) printJson(rest)
  else print(clusterInWords(rest))
  failIfLeft({ ...rest, left: rest.left.filter((row) => wanted?.(row) ?? false) }, context)
}

const clusterInWords = (report: TeardownReport): string => {
  const words = reportInWords(report)
  if (report.plan.length === 0 || report.released.length + report.left.length > 0) return words
  return `${words}\n\nNothing was removed. To remove: --confirm LEASE…, or --confirm-run RUN…, with\n${report.plan.map((row) => `  ${row.lease}  (${row.proof})`).join('\n')}`
}

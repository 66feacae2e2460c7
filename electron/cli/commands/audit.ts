import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { OpenCore } from '#services/core/core.ts'
import { AppError } from '#shared/base/errors.ts'
import { type QueueName, queueNames } from '#shared/ipc/audit.ts'
import type { AuditView, RepairReport, TriageList } from '#shared/ipc/contract.ts'
import type { BoundedRate } from '#shared/stats/acceptance.ts'
import { oneOf, Progress, print, printJson, table, wholeNumber } from '../output.ts'
import { withCore } from '../with-core.ts'
import { parseRun } from './runs.ts'

type Options = {
  share?: number
  rejected?: true
  suite: string[]
  explain?: true
  repair?: 'add' | 'swap'
  list?: QueueName
  filter?: string
  json?: true
}

export function addAudit(program: Command): void {
  program
    .command('audit <run>')
    .description('the referee of a run: false acceptances by mechanism, and every suite on the same bodies')
    .option(
      '--share <percent>',
      'audit only so many of the accepted programs',
      wholeNumber('--share', 1, 100),
    )
    .option('--rejected', 'audit what training rejected as well')
    .option('--suite <dir>', 'grade the saved bodies by one more suite; may be given again', collect, [])
    .option('--explain', 'find the smallest witness of each mechanism')
    .option(
      '--repair <cases>',
      'write a repaired suite; add cases, or swap them',
      oneOf('--repair', ['add', 'swap']),
    )
    .option('--list <name>', `print one list instead: ${queueNames.join(', ')}`, oneOf('--list', queueNames))
    .option('--filter <line>', 'narrows the list, as in the console')
    .option('--json', 'print the audit as one JSON object; of a list one line a program')
    .action(audit)
}

const collect = (value: string, before: string[]) => [...before, value]

async function audit(name: string, options: Options): Promise<void> {
  const run = parseRun(name)
  if (options.filter !== undefined && options.list === undefined)
    throw new AppError('bad_input', '--filter needs a --list that it narrows.')
  const progress = new Progress()
  await withCore(async (core) => {
    if (!core.parts.store.runs().includes(run)) throw new AppError('not_found', `There is no run ${run}.`)
    const repair = await work(core, run, options, progress)
    progress.close()
    if (options.list !== undefined) {
      const { list, filter = '' } = options
      report(await core.handlers['audit.queue']({ run, queue: list, filter }), options.json === true)
      return
    }
    const view = await core.handlers['audit.get']({ run })
    if (options.json) printJson({ ...view, repair })
    else print(inWords(view, repair))
  })
}

/** @returns the repair, where one was asked for. */
async function work(
  core: OpenCore,
  run: string,
  options: Options,
  progress: Progress,
): Promise<RepairReport | null> {
  const { handlers, parts } = core
  const { share = 100 * parts.store.auditShare(run), rejected = false, suite, explain, repair } = options
  progress.show('audit', 'grading distinct bodies by the audit suite')
  await handlers['audit.start']({ run, share: share / 100, rejected })
  await parts.audit.finish(run)
  for (const path of suite) {
    progress.show('grading', path)
    await handlers['audit.regrade']({ run, suite: resolve(path) })
  }
  if (explain || repair) progress.show('witnesses', 'shrinking inputs')
  if (explain) await handlers['audit.explain']({ run })
  if (repair === undefined) return null
  return handlers['audit.repair']({ run, cases: repair })
}

function report(list: TriageList, json: boolean): void {
  const names = new Map(list.groups.map((group) => [group.id, group.name]))
  const rows = list.rows.map(({ key: _, group, ...row }) => ({ group: names.get(group) ?? group, ...row }))
  if (json) for (const row of rows) printJson(row)
  else
    print(
      table(
        ['program', 'draws', 'status', 'verdict', 'group'],
        rows.map(({ bodySha256, draws, status, verdict, group }) => [
          bodySha256?.slice(0, 12) ?? 'no body',
          String(draws),
          status,
          verdict ?? 'open',
          group,
        ]),
      ),
    )
}

function inWords(view: AuditView, repair: RepairReport | null): string {
  const { suite, audit: by, audited, bodies, unresolved, share } = view
  const sample = share < 1 ? `, a sample of ${percent(share)} % of accepted programs` : ''
  return [
    `${suite} against ${by}: ${audited} of ${bodies} draws audited${sample}, ${unresolved} unresolved.`,
    '',
    table(
      [
        'suite',
        'by',
        'accept right',
        'accept wrong',
        'refuse right',
        'refuse wrong',
        'unknown',
        'precision',
        'false-accept rate',
      ],
      view.confusion.flatMap(({ suite: { name }, rows }) =>
        rows.map((row) => [
          name,
          row.by,
          ...[row.acceptedRight, row.acceptedWrong, row.rejectedRight, row.rejectedWrong, row.unknown].map(
            String,
          ),
          rate(row.precision),
          rate(row.falseAcceptRate),
        ]),
      ),
    ),
    ...(view.mechanisms.length === 0 ? [] : ['', mechanisms(view)]),
    ...(repair === null ? [] : ['', repaired(repair)]),
  ].join('\n')
}

const mechanisms = (view: AuditView): string =>
  table(
    ['mechanism', 'draws', 'programs', 'witness', 'expected', 'observed'],
    view.mechanisms.map(({ name, draws, programs, witness }) => [
      name,
      String(draws),
      String(programs),
      witness?.input ?? '–',
      witness?.expected ?? '–',
      witness?.observed ?? '–',
    ]),
  )

const repaired = ({ suite, tests, effect, ordering }: RepairReport): string =>
  `${suite.name} at ${suite.path}: ${effect.removed} false acceptances removed, ${effect.added} new, ${effect.lost} right programs lost; ` +
  `${tests.before} → ${tests.after} tests a grade; pairs in the wrong order ${ordering.before} → ${ordering.after} of ${ordering.eligiblePairs}.`

const percent = (part: number) => String(Number((100 * part).toPrecision(3)))

/** `93.1 % of 478 [90.5, 95]`; a range where not everything is known. */
function rate({ share, of, bounds, interval }: BoundedRate): string {
  const value = bounds
    ? `${percent(bounds.low)} to ${percent(bounds.high)} %`
    : share === null
      ? '–'
      : `${percent(share)} %`
  return `${value} of ${of}${interval ? ` [${percent(interval.low)}, ${percent(interval.high)}]` : ''}`
}

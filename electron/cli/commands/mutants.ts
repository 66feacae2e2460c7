import type { Command } from 'commander'
import { dataFolder, ensureDataFolder, rooms } from '#services/core/data-folder.ts'
import { AppError } from '#shared/base/errors.ts'
import type { SourceDraft } from '#shared/domain/run.ts'
import type { MutantReport } from '#shared/mutation/report.ts'
import { Progress, print, printJson, table, wholeNumber } from '../output.ts'
import { stopSignal } from '../with-core.ts'
import { type VerifierOptions, withVerifierOptions } from '../with-verifier.ts'

type Options = Omit<VerifierOptions, 'workers'> & {
  audit?: string
  task?: string
  limit?: number
  below?: number
  json?: true
}

export function addMutants(program: Command): void {
  const command = program
    .command('mutants')
    .description('holes of a suite: faults planted in the reference body that its tests accept')
  withVerifierOptions(command)
    .option('--audit <dir>', 'audit suite, which tells a hole from an equivalent mutant')
    .option('--task <id>', 'one task; left out, all')
    .option('--limit <n>', 'mutants a task at most; left out, all', wholeNumber('--limit', 1, 100_000))
    .option('--below <percent>', 'exit 1 where the score is below this', wholeNumber('--below', 0, 100))
    .option('--json', 'print {suite, audit, total, tasks, survivors}')
    .action(mutants)
}

async function mutants(options: Options): Promise<void> {
  const report = await measure(options)
  if (options.json) printJson(report)
  else print(inWords(report))
  const { score } = report.total
  if (options.below !== undefined && (score ?? 0) * 100 < options.below)
    throw new AppError('controls_failed', `The suite scores ${percent(score)}, below ${options.below} %.`, {
      hint: 'Add the cases that the survivors ask for.',
    })
}

async function measure(options: Options): Promise<MutantReport> {
  const { LeaseLedger } = await import('#services/leases/ledger.ts')
  const { MutantsService } = await import('#services/mutants/mutants.ts')
  const home = dataFolder()
  await ensureDataFolder(home)
  const now = () => new Date()
  const ledger = await LeaseLedger.open(rooms(home).leases, now)
  const { signal, forget } = stopSignal()
  const progress = new Progress()
  try {
    const { scratch, mutantMarks: marks, mutantReports: reports } = rooms(home)
    const service = new MutantsService({ ledger, scratch, marks, reports, env: process.env, now })
    return await service.measure({
      suite: options.suite,
      audit: options.audit ?? null,
      task: options.task ?? null,
      limit: options.limit ?? Number.POSITIVE_INFINITY,
      source: sourceOf(options),
      signal,
      onGrade: (suite, done, of) => progress.show(suite, `${done} of ${of} mutants`, done / of),
    })
  } finally {
    progress.close()
    forget()
    await ledger.close()
  }
}

function sourceOf({ repo, commit }: Options): SourceDraft | null {
  if (repo === undefined && commit === undefined) return null
  if (repo !== undefined && commit !== undefined) return { repo, commit }
  throw new AppError('bad_input', '--repo and --commit belong together.')
}

const percent = (score: number | null) => (score === null ? 'nothing' : `${(score * 100).toFixed(1)} %`)

function inWords({ suite, audit, total, survivors }: MutantReport): string {
  const rows = survivors.map((row) => [
    row.equivalent === null ? row.fate.replace('_', ' ') : 'equivalent',
    row.task,
    `line ${row.line}`,
    row.operator.replace('_', ' '),
    `${oneLine(row.before)} → ${oneLine(row.after)}`,
  ])
  const against = audit ? `, audit ${audit.name} ${audit.version}` : ''
  return [
    `${suite.name} ${suite.version}${against}: kills ${total.killed} of ${total.graded} mutants (${percent(total.score)} of those that count), ` +
      `${total.falseAcceptances} would be false acceptances, ${total.unseen} unseen or equivalent, ${total.unknown} unknown.`,
    ...(rows.length === 0 ? [] : ['', table(['survivor', 'task', '', 'operator', 'change'], rows)]),
  ].join('\n')
}

const oneLine = (text: string) => {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > 40 ? `${flat.slice(0, 39)}…` : flat || 'nothing'
}

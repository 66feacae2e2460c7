import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import type { BuildReport } from '#shared/tasks/report.ts'
import { defaultThresholds, dropReasons } from '#shared/tasks/rules.ts'
import { oneOf, print, printJson, table, wholeNumber } from '../output.ts'
import { withTaskWork } from '../with-task-work.ts'

type BuildOptions = {
  repo: string
  commit: string
  out: string
  manifest: string
  corpus: string[]
  name?: string
  from?: 'marks' | 'candidates'
  tests: 'included' | 'withheld'
  tokenizer?: string
  cap: number
  context: number
  logic: number
  churn: number
  buildMs: number
  testMs: number
  json?: true
}

export function addTasks(program: Command): void {
  const tasks = program.command('tasks').description('from code to tasks worth training on')
  addBuild(tasks)
  addImport(tasks)
}

const millions = 1_000_000
const limits = defaultThresholds

function addBuild(tasks: Command): void {
  tasks
    .command('build')
    .description('held-out functions of a Rust repository at a commit, as a suite folder')
    .requiredOption('--repo <dir>', 'repository, bare or not')
    .requiredOption('--commit <sha>', 'commit of it')
    .requiredOption('--out <dir>', 'suite folder; one that is there gets its next version')
    .option('--corpus <file...>', 'files or folders in which no body may stand', [])
    .option('--manifest <path>', 'the workspace’s manifest inside the repository', 'Cargo.toml')
    .option('--name <name>', 'the suite’s; left out, the repository’s')
    .option(
      '--from <what>',
      'marks or candidates; left out, marks where there are any',
      oneOf('--from', ['marks', 'candidates']),
    )
    .option(
      '--tests <how>',
      'in the prompt: included or withheld',
      oneOf('--tests', ['included', 'withheld']),
      'withheld',
    )
    .option('--tokenizer <file>', 'the model’s tokenizer.json; left out, tokens are estimated')
    .option('--cap <tokens>', 'longest prompt', wholeNumber('--cap', 1, millions), limits.promptTokens)
    .option(
      '--context <lines>',
      'shown on either side',
      wholeNumber('--context', 0, 10_000),
      limits.contextLines,
    )
    .option('--logic <lines>', 'fewest lines of logic', wholeNumber('--logic', 0, 10_000), limits.logicLines)
    .option(
      '--churn <commits>',
      'most commits that changed a body',
      wholeNumber('--churn', 1, millions),
      limits.commits,
    )
    .option(
      '--build-ms <ms>',
      'longest warm build',
      wholeNumber('--build-ms', 1, 100 * millions),
      limits.buildMs,
    )
    .option('--test-ms <ms>', 'longest test time', wholeNumber('--test-ms', 1, 100 * millions), limits.testMs)
    .option('--json', 'print {found, kept, dropped}')
    .action(build)
}

async function build(options: BuildOptions): Promise<void> {
  const { buildTasks } = await import('#services/tasks/build.ts')
  const report = await withTaskWork((deps) =>
    buildTasks(
      {
        ...options,
        repo: resolve(options.repo),
        out: resolve(options.out),
        name: suiteName(options.name, options.repo),
        from: options.from ?? null,
        tokenizer: options.tokenizer ?? null,
        limits: {
          logicLines: options.logic,
          commits: options.churn,
          buildMs: options.buildMs,
          testMs: options.testMs,
          promptTokens: options.cap,
          contextLines: options.context,
        },
      },
      deps,
    ),
  )
  tell(report, options.out, options.json)
}

type ImportOptions = {
  out: string
  name?: string
  tokenizer?: string
  cap?: number
  controls: number
  json?: true
}

function addImport(tasks: Command): void {
  tasks
    .command('import')
    .argument('<format>', 'ultradata, stdio (programs that read and print) or python (functions with cases)')
    .argument('<file>', 'JSONL, an item a line')
    .description('items of a file as a suite folder; what is invalid is dropped with its reason and line')
    .requiredOption('--out <dir>', 'suite folder; one that is there gets its next version')
    .option('--name <name>', 'the suite’s; left out, the file’s')
    .option('--tokenizer <file>', 'the model’s tokenizer.json; left out, tokens are estimated')
    .option('--cap <tokens>', 'longest prompt; left out, any', wholeNumber('--cap', 1, millions))
    .option(
      '--controls <n>',
      'tasks of each kind on which the controls run',
      wholeNumber('--controls', 0, millions),
      3,
    )
    .option('--json', 'print {found, kept, dropped}')
    .action(importFile)
}

async function importFile(given: string, file: string, options: ImportOptions): Promise<void> {
  const { formats, importTasks } = await import('#services/tasks/import/import.ts')
  const format = oneOf('format', Object.keys(formats) as (keyof typeof formats)[])(given)
  const report = await withTaskWork((deps) =>
    importTasks(
      {
        format,
        file: resolve(file),
        out: resolve(options.out),
        name: suiteName(options.name, file.replace(/\.jsonl?$/, '')),
        tokenizer: options.tokenizer ?? null,
        cap: options.cap ?? null,
        controls: options.controls,
      },
      deps,
    ),
  )
  tell(report, options.out, options.json)
}

function suiteName(name: string | undefined, path: string): string {
  const given =
    name ??
    basename(resolve(path))
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
  if (/^[a-z0-9][a-z0-9-]*$/.test(given)) return given
  throw new AppError('bad_input', `--name ${given}: must be lower-case letters, digits and -.`)
}

/** @throws {AppError} `controls_failed` where nothing is left: a suite of no task cannot be written. */
export function tell(report: BuildReport, out: string, json: true | undefined): void {
  const { found, kept, dropped } = report
  if (json) printJson({ found, kept, dropped })
  else print(inWords(report, out))
  if (kept > 0) return
  throw new AppError('controls_failed', `Of ${found} found, none is kept: ${out} was not written.`, {
    hint: 'Each drop says why; loosen a limit that is too strict here, or choose another source.',
  })
}

function inWords(report: BuildReport, out: string): string {
  const { found, kept, dropped, tokens, corpus } = report
  const rows = dropped.map(({ task, line, reason, detail }) => [
    line === undefined ? task : `line ${line}`,
    Object.hasOwn(dropReasons, reason) ? reason.replaceAll('_', ' ') : reason.replaceAll('_', ' '),
    detail.length > 110 ? `${detail.slice(0, 109)}…` : detail,
  ])
  return [
    ...(rows.length === 0 ? [] : [table(['dropped', 'why', ''], rows), '']),
    ...report.notes,
    `Prompts: ${tokens.longest ?? 0} tokens at most, by ${tokens.by}${tokens.cap === null ? '' : `; the cap is ${tokens.cap}`}.`,
    ...tokens.histogram.map(
      ({ from, to, prompts }) =>
        `  ${String(from).padStart(6)}–${String(to - 1).padEnd(6)} ${'▇'.repeat(Math.min(60, prompts))} ${prompts}`,
    ),
    ...(corpus === null
      ? []
      : [
          `Corpus: ${corpus.files} files, ${(corpus.bytes / 1e6).toFixed(1)} MB; ${corpus.findings.length} places; ${corpus.unscannable.length} bodies too small to be looked for.`,
        ]),
    `${kept} of ${found} kept${kept > 0 ? `, in ${out}` : ''}.`,
  ].join('\n')
}

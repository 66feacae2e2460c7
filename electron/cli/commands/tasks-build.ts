import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultThresholds } from '#shared/tasks/rules.ts'
import { oneOf, wholeNumber } from '../output.ts'
import { withTaskWork } from '../with-task-work.ts'
import { millions, suiteName, tell } from './tasks-report.ts'

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
  model?: string
  boxGib?: number
  group: number
  completion: number
  batch: number
  cap: number
  context: number
  logic: number
  churn: number
  buildMs: number
  testMs: number
  json?: true
}

const limits = defaultThresholds

export function addBuild(tasks: Command): void {
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
    .option(
      '--model <dir>',
      'the model’s folder (config.json, tokenizer.json): counts its tokens and estimates memory',
    )
    .option(
      '--box-gib <n>',
      'memory of the box’s device, for that estimate',
      wholeNumber('--box-gib', 1, 100_000),
    )
    .option('--group <n>', 'completions at a time, for that estimate', wholeNumber('--group', 1, 100_000), 8)
    .option(
      '--completion <tokens>',
      'longest completion, for that estimate',
      wholeNumber('--completion', 1, millions),
      512,
    )
    .option('--batch <n>', 'sequences in one pass, for that estimate', wholeNumber('--batch', 1, 100_000), 4)
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
        tokenizer: options.tokenizer ?? tokenizerOf(options.model),
        model: modelOf(options),
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
  await tell(report, options.out, options.json)
}

/** The one in the model's folder, where there is one. */
function tokenizerOf(model: string | undefined): string | null {
  const path = model === undefined ? null : join(resolve(model), 'tokenizer.json')
  return path !== null && existsSync(path) ? path : null
}

const modelOf = ({ model, boxGib, group, completion, batch }: BuildOptions) =>
  model === undefined
    ? null
    : {
        folder: resolve(model),
        boxBytes: boxGib === undefined ? null : boxGib * 1024 ** 3,
        need: { completionTokens: completion, sequences: group, microBatch: batch },
      }

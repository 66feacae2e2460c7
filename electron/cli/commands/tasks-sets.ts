import { resolve } from 'node:path'
import type { Command } from 'commander'
import { dataFolder, rooms } from '#services/core/data-folder.ts'
import { AppError } from '#shared/base/errors.ts'
import { print, printJson, table, wholeNumber } from '../output.ts'
import { withCore } from '../with-core.ts'
import { withTaskWork } from '../with-task-work.ts'

export function addSets(tasks: Command): void {
  addSplit(tasks)
  addRates(tasks)
  addExport(tasks)
}

function addSplit(tasks: Command): void {
  tasks
    .command('split')
    .description('two suites of one, holding out whole groups (crates, generators), never single items')
    .requiredOption('--suite <dir>', 'suite folder')
    .requiredOption('--out <dir>', 'folder for train and held-out')
    .option('--hold-out <group...>', 'groups by name; left out, about --percent of the tasks', [])
    .option('--percent <n>', 'share of the tasks to hold out', wholeNumber('--percent', 1, 99), 20)
    .option('--seed <n>', 'decides which groups', wholeNumber('--seed', 0, 2 ** 31), 1)
    .option('--json', 'print {heldOut, sets}')
    .action(split)
}

type SplitOptions = {
  suite: string
  out: string
  holdOut: string[]
  percent: number
  seed: number
  json?: true
}

async function split({ suite, out, holdOut, percent, seed, json }: SplitOptions): Promise<void> {
  const { splitSuite } = await import('#services/tasks/split.ts')
  const { addToSetList } = await import('#services/tasks/set-list.ts')
  const report = await splitSuite({
    suite: resolve(suite),
    out: resolve(out),
    holdOut,
    share: percent / 100,
    seed,
  })
  for (const { path } of report.sets) await addToSetList(rooms(dataFolder()).taskSets, path)
  if (json) return printJson(report)
  print(
    table(
      ['set', 'tasks', 'groups', 'folder'],
      report.sets.map(({ set, tasks, groups, path }) => [set, String(tasks), groups.join(', '), path]),
    ),
  )
}

function addRates(tasks: Command): void {
  tasks
    .command('rates')
    .description('how often the initial checkpoint passed each task, over every run that measured it')
    .requiredOption('--suite <dir>', 'suite folder')
    .option('--json', 'print {anchor, tasks}; the anchor is what a run’s selection takes')
    .action(rates)
}

async function rates({ suite, json }: { suite: string; json?: true }): Promise<void> {
  const { rows } = await withCore(async (core) => core.handlers['tasks.list']({ set: resolve(suite) }))
  const anchor = Object.fromEntries(
    rows.flatMap(({ task, initial }) =>
      initial !== null && initial.graded > 0 ? [[task, initial.passed / initial.graded]] : [],
    ),
  )
  if (json)
    return printJson({
      anchor,
      tasks: rows.map(({ task, initial, difficulty }) => ({ task, initial, difficulty })),
    })
  const words = rows.map(({ task, initial, difficulty }) => [
    task,
    initial === null ? '–' : `${initial.passed} of ${initial.graded}`,
    difficulty,
  ])
  print(table(['task', 'passed', ''], words))
}

function addExport(tasks: Command): void {
  tasks
    .command('export')
    .description('a repository’s code to train on, without the bodies that suites hold out')
    .requiredOption('--repo <dir>', 'repository')
    .requiredOption('--commit <sha>', 'commit that the suites were built from')
    .requiredOption('--suite <dir...>', 'suite folders')
    .requiredOption('--out <file>', 'JSONL of {path, text}')
    .option('--manifest <path>', 'the workspace’s manifest inside the repository', 'Cargo.toml')
    .option('--json', 'print {files, stripped, bytes, left}')
    .action(exportFile)
}

type ExportOptions = {
  repo: string
  commit: string
  suite: string[]
  out: string
  manifest: string
  json?: true
}

async function exportFile({ repo, suite, out, json, ...rest }: ExportOptions): Promise<void> {
  const { exportCode } = await import('#services/tasks/export-code.ts')
  const request = {
    ...rest,
    repo: resolve(repo),
    suites: suite.map((path) => resolve(path)),
    out: resolve(out),
  }
  const report = await withTaskWork((deps) => exportCode(request, deps))
  const { files, stripped, bytes, left } = report
  if (json) printJson(report)
  else
    print(
      `${files} files, ${bytes} bytes; ${stripped} bodies taken out, ${left.length} found in what was written.`,
    )
  const [first] = left
  if (first)
    throw new AppError(
      'controls_failed',
      `The body of ${first.task} stands in ${out}, line ${first.line}, once more.`,
      {
        hint: 'It has a copy elsewhere in the repository: drop the task, or leave that file out.',
      },
    )
}

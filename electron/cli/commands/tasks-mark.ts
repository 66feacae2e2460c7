import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultThresholds } from '#shared/tasks/rules.ts'
import { print, printJson, table, wholeNumber } from '../output.ts'
import { withTaskWork } from '../with-task-work.ts'
import { millions } from './tasks-report.ts'

type Options = {
  repo: string
  commit: string
  manifest: string
  logic: number
  churn: number
  write?: true
  json?: true
}

const limits = defaultThresholds

export function addMark(tasks: Command): void {
  tasks
    .command('mark')
    .description(
      'functions that could be held out, and what their marks would change; writes them with --write',
    )
    .requiredOption('--repo <dir>', 'repository; with --write a work tree of it')
    .option('--commit <sha>', 'commit of it', 'HEAD')
    .option('--manifest <path>', 'the workspace’s manifest inside the repository', 'Cargo.toml')
    .option('--logic <lines>', 'fewest lines of logic', wholeNumber('--logic', 0, 10_000), limits.logicLines)
    .option(
      '--churn <commits>',
      'most commits that changed a body',
      wholeNumber('--churn', 1, millions),
      limits.commits,
    )
    .option('--write', 'put the marks into the files')
    .option('--json', 'print {found, proposed, dropped, diff, written}')
    .action(mark)
}

async function mark({ repo, commit, manifest, logic, churn, write, json }: Options): Promise<void> {
  const { markTasks } = await import('#services/tasks/mark.ts')
  const request = {
    repo: resolve(repo),
    commit,
    manifest,
    write: write === true,
    limits: { ...limits, logicLines: logic, commits: churn },
  }
  const report = await withTaskWork((deps) => markTasks(request, deps))
  if (json) return printJson(report)
  const { proposed, found, dropped, diff, written } = report
  const rows = proposed.map(({ task, file, line, tests }) => [
    task,
    `${file}:${line}`,
    `${tests.length} tests`,
  ])
  if (diff !== '') print(diff.trimEnd())
  if (rows.length > 0) print(`\n${table(['would be held out', 'where', ''], rows)}`)
  const done = written
    ? 'The marks were written; commit them, then build.'
    : 'Nothing was written; --write puts them there.'
  print(
    `\n${proposed.length} of ${found} functions proposed, ${dropped.length} are ruled out. ${proposed.length > 0 ? done : 'There is nothing to mark.'}`,
  )
}

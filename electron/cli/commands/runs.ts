import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import { RunId } from '#shared/base/ids.ts'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { print, printJson, table } from '../output.ts'
import { withCore } from '../with-core.ts'

export function addRuns(program: Command): void {
  const runs = program.command('runs').description('runs of this data folder, and their records')
  runs
    .command('list')
    .description('all runs, newest first')
    .option('--json', 'print a JSON array of summaries')
    .action(list)
  runs
    .command('show <run>')
    .description('one run: its spec, its summary and its state')
    .option('--json', 'print one JSON object')
    .action(show)
  runs
    .command('export <run>')
    .description('rollouts as NDJSON, a null reward as null')
    .option('--filter <line>', 'the same filter line as in the console', '')
    .option('--json', 'as always here')
    .action(exportRun)
}

/** A run's name as typed. @throws {AppError} `bad_input` where it cannot be one. */
export function parseRun(text: string): string {
  const parsed = RunId.safeParse(text)
  if (parsed.success) return parsed.data
  throw new AppError('bad_input', `${text}: a run ${parsed.error.issues[0]?.message}.`, {
    hint: 'ringside runs list names them.',
  })
}

async function list({ json }: { json?: true }): Promise<void> {
  const runs = await withCore((core) => Promise.resolve(core.handlers['runs.list']({})))
  if (json) printJson(runs)
  else print(runs.length === 0 ? 'No run yet.' : runTable(runs))
}

async function show(name: string, { json }: { json?: true }): Promise<void> {
  const run = parseRun(name)
  const reply = await withCore((core) => Promise.resolve(core.handlers['runs.state']({ run })))
  if (json) printJson(reply)
  else print(`${runTable([reply.summary])}\n${reply.state.reason ?? ''}`.trimEnd())
}

async function exportRun(name: string, { filter }: { filter: string }): Promise<void> {
  const run = parseRun(name)
  await withCore(async (core) => {
    if (!core.parts.store.runs().includes(run)) throw new AppError('not_found', `There is no run ${run}.`)
    for (const line of core.parts.store.exportRows(run, filter)) print(line)
  })
}

function runTable(runs: RunSummary[]): string {
  const rows = runs.map((run) => [
    run.run,
    run.outcome ?? run.phase,
    run.suite,
    `${run.step ?? 0}/${run.planned ?? '?'}`,
    String(run.rollouts),
    falsely(run),
    run.tornDown ? 'yes' : `${run.leases} held`,
    run.name,
  ])
  return table(['run', 'state', 'suite', 'update', 'rollouts', 'falsely accepted', 'torn down', 'name'], rows)
}

/** With the share of accepted programs that was looked at, where that is not all of them. */
const falsely = ({ falseAcceptances, auditShare }: RunSummary): string =>
  falseAcceptances === null ? '–' : `${falseAcceptances}${auditShare < 1 ? ` in ${auditShare * 100} %` : ''}`

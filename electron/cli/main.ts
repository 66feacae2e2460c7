import { Command, CommanderError } from 'commander'
import { toAppError } from '#shared/base/errors.ts'
import manifest from '../../package.json' with { type: 'json' }
import { addAudit } from './commands/audit.ts'
import { addBench } from './commands/bench.ts'
import { addBoxes } from './commands/boxes.ts'
import { addClusters } from './commands/clusters.ts'
import { addControls } from './commands/controls.ts'
import { addDemo } from './commands/demo.ts'
import { addGrade } from './commands/grade.ts'
import { addImport } from './commands/import.ts'
import { addMutants } from './commands/mutants.ts'
import { addRuns } from './commands/runs.ts'
import { addServe } from './commands/serve.ts'
import { addStudy } from './commands/study.ts'
import { addSweep } from './commands/sweep.ts'
import { addTasks } from './commands/tasks.ts'
import { addTeardown } from './commands/teardown.ts'
import { addVerifier } from './commands/verifier.ts'

/** One file a command; each adds itself. */
const commands = [
  addDemo,
  addServe,
  addVerifier,
  addGrade,
  addControls,
  addMutants,
  addRuns,
  addImport,
  addAudit,
  addTeardown,
  addSweep,
  addBoxes,
  addClusters,
  addStudy,
  addTasks,
  addBench,
]

/**
 * The `ringside` command. Exit code 0 done, 1 the thing asked about does not hold, 2 bad input, 3 unreachable or unresolved; a failure is one
 * line on stderr, and with `--json` stdout carries nothing but the answer.
 */
export async function main(args: string[]): Promise<void> {
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    // The reader of a pipe (`| head`) went away: there is nobody left to answer.
    if (failure.code === 'EPIPE') process.exit(0)
    throw failure
  })
  try {
    await build().parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
  } catch (thrown) {
    process.exitCode = report(thrown)
  }
}

function build(): Command {
  const program = new Command('ringside')
    .description(manifest.description)
    .version(manifest.version)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .showSuggestionAfterError()
  for (const add of commands) add(program)
  return program
}

function report(thrown: unknown): number {
  if (thrown instanceof CommanderError) return reportUsage(thrown)
  const error = toAppError(thrown)
  process.stderr.write(`ringside: ${error.message} ${error.hint}\n`)
  return error.exitCode
}

function reportUsage(error: CommanderError): number {
  // Help and version that were asked for are no failure; help for want of a command is.
  if (error.exitCode === 0) return 0
  const message =
    error.code === 'commander.help'
      ? 'no such command as given.'
      : error.message.replace(/^error: /, '').replace(/\s+/g, ' ')
  process.stderr.write(`ringside: ${message} See ringside --help.\n`)
  return 2
}

import type { Command } from 'commander'
import { print, printJson } from '../output.ts'
import { withCore } from '../with-core.ts'

export function addImport(program: Command): void {
  program
    .command('import <files...>')
    .description(
      'open another trainer’s run: trainer_state.json, completions_*.parquet (TRL), traces.jsonl (verifiers, prime-rl)',
    )
    .option('--json', 'print {run, from, steps, rollouts, notes}')
    .action(async (files: string[], { json }: { json?: true }) => {
      const reply = await withCore((core) => Promise.resolve(core.handlers['runs.import']({ files })))
      if (json) printJson(reply)
      else
        print(
          [
            `${reply.run}: ${reply.steps} steps, ${reply.rollouts} rollouts of ${reply.from}.`,
            ...reply.notes,
          ].join('\n'),
        )
    })
}

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { oneOf, wholeNumber } from '../output.ts'
import { withTaskWork } from '../with-task-work.ts'
import { millions, suiteName, tell } from './tasks-report.ts'

type ImportOptions = {
  out: string
  name?: string
  tokenizer?: string
  cap?: number
  controls: number
  json?: true
}

export function addImport(tasks: Command): void {
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
  await tell(report, options.out, options.json)
}

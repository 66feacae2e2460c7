import type { Command } from 'commander'
import { oneOf, print, printJson } from '../output.ts'

/** What a bench says: ratios measured in one run, and the counts they were taken over. */
export type BenchReport = { name: string; figures: Record<string, number | string | boolean | null> }

const benches = {} as const satisfies Record<string, () => Promise<BenchReport>>

export function addBench(program: Command): void {
  const names = Object.keys(benches)
  program
    .command('bench')
    .argument('<name>', `one of ${names.join(', ')}`)
    .description('measure on this machine: figures are ratios within one run, with its counts')
    .option('--json', 'print {name, figures}')
    .action(async (name: string, { json }: { json?: true }) => {
      const bench = (benches as Record<string, () => Promise<BenchReport>>)[oneOf('bench', names)(name)]
      const report = await bench?.()
      if (!report) return
      if (json) printJson(report)
      else
        for (const [figure, value] of Object.entries(report.figures)) print(`${figure.padEnd(36)} ${value}`)
    })
}

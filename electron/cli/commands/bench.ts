import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import { oneOf, Progress, print, printJson, table } from '../output.ts'
import { withCore } from '../with-core.ts'

/** One measured thing: a ratio taken within one run (null for a plain count or time), and the value behind it. */
export type Figure = { name: string; ratio: number | null; value: number; unit: string }
export type BenchReport = { name: string; figures: Figure[] }
type Bench = (io: { progress: (text: string) => void; box: string | null }) => Promise<BenchReport>

/** Loaded when asked for: a bench pulls in much that no other command needs. */
const benches: Record<string, () => Promise<Bench>> = {
  grading: async () => (await import('../bench/grading.ts')).benchGrading,
  'grading cargo': async () => (await import('../bench/grading-cargo.ts')).benchGradingCargo,
  store: async () => (await import('../bench/store.ts')).benchStore,
  triage: async () => (await import('../bench/triage.ts')).benchTriage,
  tail: async () => {
    const { benchTail } = await import('../bench/tail.ts')
    return ({ progress, box }) => withCore((core) => benchTail(core, named(box), progress))
  },
}

export function addBench(program: Command): void {
  const names = Object.keys(benches).filter((name) => !name.includes(' '))
  program
    .command('bench')
    .argument('<name>', `one of ${names.join(', ')}`)
    .description('measure on this machine: figures are ratios within one run, with its counts')
    .option('--grader <kind>', 'for grading: python-function or cargo', 'python-function')
    .option('--box <box>', 'for tail: a known box that may be written to in its temporary folder')
    .option('--json', 'print {name, figures}')
    .action(async (given: string, { grader, box, json }: { grader: string; box?: string; json?: true }) => {
      const name = oneOf('bench', names)(given)
      const kind = oneOf('grader', ['python-function', 'cargo'])(grader)
      const bench = await benches[name === 'grading' && kind === 'cargo' ? 'grading cargo' : name]?.()
      const progress = new Progress()
      const report = await bench?.({ progress: (text) => progress.show(name, text), box: box ?? null })
      progress.close()
      if (!report) return
      if (json) printJson(report)
      else print(inWords(report))
    })
}

/** @throws {AppError} `bad_input` where no box was named. */
function named(box: string | null): string {
  if (box !== null) return box
  throw new AppError('bad_input', '--box: name a box to read from.', {
    hint: 'ringside boxes add TARGET adds one; this machine itself will do, if it runs an SSH server.',
  })
}

const inWords = ({ figures }: BenchReport): string =>
  table(
    ['figure', 'value', '', 'ratio'],
    figures.map(({ name, ratio, value, unit }) => [
      name,
      Number.isInteger(value) ? String(value) : value.toPrecision(4),
      unit,
      ratio === null ? '' : `${ratio.toPrecision(3)}×`,
    ]),
  )

import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import { oneOf, Progress, print, printJson, share, table, wholeNumber } from '../output.ts'
import { withCore } from '../with-core.ts'

/** One measured thing: a ratio taken within one run (null for a plain count or time), and the value behind it. */
export type Figure = { name: string; ratio: number | null; value: number; unit: string }
export type BenchReport = { name: string; figures: Figure[] }
type Asked = {
  progress: (text: string) => void
  box: string | null
  minutes: number
  rollouts: number
  mib: number
  seeds: number
  explore: number
  home: string | null
  kubeconfig: string | null
  context: string | null
  namespace: string
  image: string
}
type Bench = (asked: Asked) => Promise<BenchReport>

/** Loaded when asked for: a bench pulls in much that no other command needs. */
const benches: Record<string, () => Promise<Bench>> = {
  grading: async () => (await import('../bench/grading.ts')).benchGrading,
  'grading cargo': async () => (await import('../bench/grading-cargo.ts')).benchGradingCargo,
  store: async () => (await import('../bench/store.ts')).benchStore,
  contamination: async () => (await import('../bench/contamination.ts')).benchContamination,
  triage: async () => (await import('../bench/triage.ts')).benchTriage,
  selection: async () => (await import('../bench/selection.ts')).benchSelection,
  tail: async () => {
    const { benchTail } = await import('../bench/tail.ts')
    return ({ progress, box }) => withCore((core) => benchTail(core, named(box), progress))
  },
  logs: async () => {
    const { benchLogs } = await import('../bench/logs.ts')
    return benchLogs
  },
  replicas: async () => (await import('../bench/replicas.ts')).benchReplicas,
  ui: async () => {
    const { benchUi } = await import('../bench/ui/bench-ui.ts')
    return ({ rollouts, ...asked }) =>
      benchUi({ ...asked, rollouts, steps: Math.round(rollouts / 100), others: 9, eventsPerSecond: 2000 })
  },
}

type Given = {
  grader: string
  box?: string
  minutes: number
  rollouts: number
  mib: number
  seeds: number
  explore: number
  home?: string
  kubeconfig?: string
  context?: string
  namespace: string
  image: string
  json?: true
}

const nowhere = { kubeconfig: null, context: null }

export function addBench(program: Command): void {
  const names = Object.keys(benches).filter((name) => !name.includes(' '))
  program
    .command('bench')
    .argument('<name>', `one of ${names.join(', ')}`)
    .description('measure on this machine: figures are ratios within one run, with its counts')
    .option('--grader <kind>', 'for grading: python-function or cargo', 'python-function')
    .option('--box <box>', 'for tail: a known box that may be written to in its temporary folder')
    .option('--minutes <n>', 'for ui: how long the run grows', wholeNumber('--minutes', 1, 600), 10)
    .option('--rollouts <n>', 'for ui: of the run', wholeNumber('--rollouts', 1000, 10_000_000), 1_000_000)
    .option('--mib <n>', 'for contamination: size of the corpus', wholeNumber('--mib', 1, 1_048_576), 256)
    .option('--seeds <n>', 'for selection: runs of each way', wholeNumber('--seeds', 2, 1000), 10)
    .option(
      '--explore <share>',
      'for selection: of the groups, given evenly over all tasks',
      share('--explore'),
      0.3,
    )
    .option('--home <dir>', 'for ui: keep what was generated there, for the next time')
    .option('--kubeconfig <file>', 'for logs: leads to the cluster; kubectl’s own otherwise')
    .option('--context <name>', 'for logs: of the kubeconfig; its current one otherwise')
    .option('--namespace <name>', 'for logs: where a pod may be started', 'default')
    .option('--image <name>', 'for logs: any with /bin/sh', 'busybox')
    .option('--json', 'print {name, figures}')
    .action(async (given: string, { grader, json, ...asked }: Given) => {
      const name = oneOf('bench', names)(given)
      const kind = oneOf('grader', ['python-function', 'cargo'])(grader)
      const bench = await benches[name === 'grading' && kind === 'cargo' ? 'grading cargo' : name]?.()
      const progress = new Progress()
      const say = (text: string) => progress.show(name, text)
      const report = await bench?.({ progress: say, box: null, home: null, ...nowhere, ...asked })
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

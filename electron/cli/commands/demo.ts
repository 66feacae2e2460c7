import type { Command } from 'commander'
import { AppError } from '#shared/base/errors.ts'
import { VerifierReach } from '#shared/domain/run.ts'
import { runDemo } from '../demo/demo.ts'
import { oneOf, print, printJson, wholeNumber } from '../output.ts'
import { withCore } from '../with-core.ts'

const suites = ['weak', 'reference', 'repaired'] as const

export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('the embedded run from launch to teardown: train on one suite, audit by another')
    .option(
      '--verifier <suite>',
      `suite that rewards: ${suites.join(', ')}`,
      oneOf('--verifier', suites),
      'weak',
    )
    .option('--updates <n>', 'policy updates', wholeNumber('--updates', 1, 10_000), 24)
    .option('--seed <n>', 'seed of the policy and the draws', wholeNumber('--seed', 0, 2 ** 31 - 1), 7)
    .option('--box <box>', 'train there: a known box, an alias of the SSH configuration, or user@host:port')
    .option(
      '--mesh <name=address>',
      'with --box: both are in one network; the box is to call this machine NAME, at ADDRESS of it (default: a tunnel)',
      meshReach,
    )
    .option('--json', 'print the result as one JSON object')
    .action(
      async (options: {
        verifier: (typeof suites)[number]
        updates: number
        seed: number
        box?: string
        mesh?: VerifierReach
        json?: true
      }) => {
        const { report, failure } = await withCore((core, stopped) =>
          runDemo(
            core,
            { ...options, box: options.box ?? null, reach: options.mesh ?? { kind: 'tunnel' } },
            stopped,
          ),
        )
        if (options.json) printJson(report)
        else print(inWords(report, options.verifier))
        if (failure) throw failure
      },
    )
}

/** @throws {AppError} `bad_input` where it is no name and address. */
function meshReach(text: string): VerifierReach {
  const [name, address] = text.split('=')
  const reach = VerifierReach.safeParse({ kind: 'mesh', name, address })
  if (reach.success) return reach.data
  throw new AppError('bad_input', `--mesh ${text} is no NAME=ADDRESS.`)
}

function inWords(report: Awaited<ReturnType<typeof runDemo>>['report'], suite: string): string {
  const share = (rate: number | null) => (rate === null ? 'unknown' : `${(100 * rate).toFixed(1)} %`)
  const mechanisms = Object.entries(report.falseAcceptancesByMechanism)
  return [
    `${report.run}: ${report.updates} updates on the ${suite} suite, ${report.rollouts} rollouts, ${(report.wallMs / 1000).toFixed(1)} s`,
    `  passes the audit: ${share(report.passRateBefore)} of the fixed draws before, ${share(report.passRateAfter)} after`,
    `  falsely accepted in training: ${report.falseAcceptances}${mechanisms.length === 0 ? '' : ':'}`,
    ...mechanisms.map(([name, count]) => `    ${String(count).padStart(4)}  ${name}`),
    `  rewards that are null: ${report.nullRewards}; left after teardown: ${report.leaksAfterTeardown}`,
  ].join('\n')
}

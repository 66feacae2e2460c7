import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { nodeCommand, programs } from '#services/core/programs.ts'
import { AppError } from '#shared/base/errors.ts'
import { mean, meanInterval } from '#shared/stats/intervals.ts'
import { pairedDifference } from '#shared/stats/paired.ts'
import type { BenchReport, Figure } from '../commands/bench.ts'

const run = promisify(execFile)

const Line = z.object({
  seed: z.number(),
  by: z.enum(['uniform', 'curriculum', 'mixed']),
  rollouts: z.number(),
  groups: z.number(),
  silentGroups: z.number(),
  rolloutsTo: z.record(z.string(), z.number().nullable()),
  passRate: z.number(),
})
type Line = z.infer<typeof Line>

const ways = ['uniform', 'curriculum', 'mixed'] as const
type Way = (typeof ways)[number]

/**
 * The embedded trainer on the ladder's twelve tasks under three ways of choosing them, same seeds, same budget: the share of groups that teach
 * nothing, and the rollouts until the mean pass rate first is at a target. Differences are paired by seed, with the t interval of their mean.
 */
export async function benchSelection({
  seeds,
  explore,
  progress,
}: {
  seeds: number
  explore: number
  progress: (text: string) => void
}): Promise<BenchReport> {
  progress(`${seeds} seeds, three ways of choosing`)
  const lines = await study(seeds, explore)
  const targets = Object.keys(lines[0]?.rolloutsTo ?? {})
  return {
    name: 'selection',
    figures: [
      { name: 'seeds', ratio: null, value: seeds, unit: 'count' },
      { name: 'explored', ratio: null, value: explore, unit: 'share' },
      { name: 'rollouts of a run', ratio: null, value: lines[0]?.rollouts ?? 0, unit: 'count' },
      ...compared('silent groups', 'share', lines, (line) => line.silentGroups / line.groups),
      ...targets.flatMap((target) =>
        compared(
          `rollouts to a pass rate of ${target}`,
          'count',
          lines,
          (line) => line.rolloutsTo[target] ?? null,
        ),
      ),
      ...compared('pass rate at the end', 'share', lines, (line) => line.passRate),
    ],
  }
}

async function study(seeds: number, explore: number): Promise<Line[]> {
  const { command, env } = nodeCommand()
  const { stdout } = await run(
    command,
    [programs.selectionStudy, '--seeds', String(seeds), '--explore', String(explore)],
    {
      env: { ...process.env, ...env },
      maxBuffer: 64 << 20,
    },
  )
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((text) => Line.parse(JSON.parse(text)))
  if (lines.length === seeds * ways.length) return lines
  throw new AppError('unresolved', 'The study ended before its last run.')
}

/** One figure by way with its interval, then what `mixed` differs by from each other way. What was not reached is counted, and in no mean. */
function compared(
  name: string,
  unit: string,
  lines: readonly Line[],
  value: (line: Line) => number | null,
): Figure[] {
  const of = (way: Way): Record<string, number> =>
    Object.fromEntries(
      lines.flatMap((line) => {
        const found = line.by === way ? value(line) : null
        return found === null ? [] : [[String(line.seed), found]]
      }),
    )
  const by = { uniform: of('uniform'), curriculum: of('curriculum'), mixed: of('mixed') }
  const seeds = new Set(lines.map((line) => line.seed)).size
  const own = ways.flatMap((way): Figure[] => {
    const values = Object.values(by[way])
    const missing = seeds - values.length
    return [
      ...interval(`${name}, ${way}`, unit, mean(values), meanInterval(values)),
      ...(missing === 0
        ? []
        : [{ name: `${name}, ${way}: seeds that never were`, ratio: null, value: missing, unit: 'count' }]),
    ]
  })
  const differences = (['uniform', 'curriculum'] as const).flatMap((other): Figure[] => {
    const { mean: centre, interval: found } = pairedDifference(by.mixed, by[other])
    const base = mean(Object.values(by[other]))
    return interval(
      `${name}, mixed less ${other}`,
      unit,
      centre,
      found && { low: found[0], high: found[1] },
      centre === null || base === null ? null : (base + centre) / base,
    )
  })
  return [...own, ...differences]
}

/** A mean and the two ends of its 95 % interval; the ratio, where there is one, is of the means. */
function interval(
  name: string,
  unit: string,
  centre: number | null,
  found: { low: number; high: number } | null,
  ratio: number | null = null,
): Figure[] {
  if (centre === null) return []
  const ends = found === null ? [] : [['from', found.low] as const, ['to', found.high] as const]
  return [
    { name, ratio, value: centre, unit },
    ...ends.map(([end, value]): Figure => ({ name: `${name}, 95 % ${end}`, ratio: null, value, unit })),
  ]
}

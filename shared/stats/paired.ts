import { type Interval, mean, meanInterval } from './intervals.ts'

export type Paired = {
  perSeed: Record<string, number>
  mean: number | null
  interval: [number, number] | null
}

/**
 * Differences a − b seed by seed, over the seeds that both have, with the t interval of their mean. Pairing by seed takes the seed's own
 * luck out of the comparison; with few seeds the interval is wide, and says so.
 */
export function pairedDifference(a: Record<string, number>, b: Record<string, number>): Paired {
  const seeds = Object.keys(a)
    .filter((seed) => seed in b)
    .sort()
  const perSeed = Object.fromEntries(
    seeds.map((seed) => [seed, (a[seed] ?? Number.NaN) - (b[seed] ?? Number.NaN)]),
  )
  const differences = Object.values(perSeed)
  const interval: Interval | null = meanInterval(differences)
  return { perSeed, mean: mean(differences), interval: interval && [interval.low, interval.high] }
}

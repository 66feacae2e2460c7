import type { MemorySample } from '#shared/journal/state.ts'

/** Samples this many times farther apart than usual were not heard: the link was away, or the query hung. */
const factor = 4
/** Never of less than this: a busy box is late by some seconds without having been lost. */
const leastMs = 15_000

/**
 * Samples in order, with a null where for much longer than usual none came: a line drawn across it would claim what nobody heard. The usual distance is
 * the median.
 */
export function withGaps(samples: readonly MemorySample[]): (MemorySample | null)[] {
  const times = samples.map((sample) => Date.parse(sample.at))
  const distances = times.slice(1).map((time, index) => time - (times[index] ?? time))
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0
  const limit = Math.max(leastMs, factor * usual)
  return samples.flatMap((sample, index) =>
    index > 0 && (distances[index - 1] ?? 0) > limit ? [null, sample] : [sample],
  )
}

const isGpu = ({ name }: MemorySample['devices'][number]) => !/process/i.test(name)

/**
 * The samples to draw: where any tells of a GPU, those that do. A trainer without one tells of its own process between the box's samples, and a line for
 * either would be broken by the other.
 */
export function drawnSamples(samples: readonly MemorySample[]): readonly MemorySample[] {
  const ofGpus = samples.filter(({ devices }) => devices.some(isGpu))
  return ofGpus.length > 0 ? ofGpus : samples
}

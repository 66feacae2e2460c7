/** One way of computing a part of an answer: the Python that is written, the same in TypeScript, and the untrained policy's chance of it. */
type Way = { chance: number; python: string; value: (values: readonly number[]) => unknown }

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const first = (values: readonly number[]) => values[0] ?? 0
const last = (values: readonly number[]) => values.at(-1) ?? 0
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const smallest = (values: readonly number[]) => Math.min(...values)
const largest = (values: readonly number[]) => Math.max(...values)
const middle = (values: readonly number[]) => values[Math.floor(values.length / 2)] ?? 0
const pairs = (values: readonly number[]) =>
  values.slice(1).map((value, i) => [values[i] ?? 0, value] as const)
const count = (values: readonly number[], holds: (value: number) => boolean) => values.filter(holds).length
const odd = (value: number) => Math.abs(value % 2) === 1

/**
 * The parts of which the ladder's answers are made. The first way of each is right; the others are the slips that one would make, and wrong on every
 * case of the suite, so that a program passes all of a task's cases or none.
 */
export const parts = {
  copy: {
    same: { chance: 0.97, python: 'values', value: (values) => values },
    turned: { chance: 0.03, python: 'values[::-1]', value: (values) => values.toReversed() },
  },
  first: {
    first: { chance: 0.95, python: 'values[0]', value: first },
    second: { chance: 0.05, python: 'values[1]', value: (values) => values[1] },
  },
  count: {
    length: { chance: 0.55, python: 'len(values)', value: (values) => values.length },
    distinct: { chance: 0.3, python: 'len(set(values))', value: (values) => new Set(values).size },
    gaps: { chance: 0.15, python: 'len(values) - 1', value: (values) => values.length - 1 },
  },
  total: {
    sum: { chance: 0.5, python: 'sum(values)', value: sum },
    rest: { chance: 0.25, python: 'sum(values[1:])', value: (values) => sum(values.slice(1)) },
    distinct: { chance: 0.25, python: 'sum(set(values))', value: (values) => sum([...new Set(values)]) },
  },
  smallest: {
    least: { chance: 0.5, python: 'min(values)', value: smallest },
    first: { chance: 0.3, python: 'values[0]', value: first },
    second: {
      chance: 0.2,
      python: 'sorted(set(values))[1]',
      value: (values) => sorted([...new Set(values)])[1],
    },
  },
  largest: {
    most: { chance: 0.5, python: 'max(values)', value: largest },
    last: { chance: 0.3, python: 'values[-1]', value: last },
    second: {
      chance: 0.2,
      python: 'sorted(set(values))[-2]',
      value: (values) => sorted([...new Set(values)]).at(-2),
    },
  },
  spread: {
    range: {
      chance: 0.4,
      python: 'max(values) - min(values)',
      value: (values) => largest(values) - smallest(values),
    },
    ends: { chance: 0.35, python: 'values[-1] - values[0]', value: (values) => last(values) - first(values) },
    fromFirst: {
      chance: 0.25,
      python: 'max(values) - values[0]',
      value: (values) => largest(values) - first(values),
    },
  },
  middle: {
    median: {
      chance: 0.3,
      python: 'sorted(values)[len(values) // 2]',
      value: (values) => middle(sorted(values)),
    },
    place: { chance: 0.4, python: 'values[len(values) // 2]', value: middle },
    mean: {
      chance: 0.3,
      python: 'sum(values) // len(values)',
      value: (values) => Math.floor(sum(values) / values.length),
    },
  },
  rises: {
    strict: {
      chance: 0.35,
      python: 'sum(a < b for a, b in zip(values, values[1:]))',
      value: (values) => pairs(values).filter(([a, b]) => a < b).length,
    },
    level: {
      chance: 0.4,
      python: 'sum(a <= b for a, b in zip(values, values[1:]))',
      value: (values) => pairs(values).filter(([a, b]) => a <= b).length,
    },
    falls: {
      chance: 0.25,
      python: 'sum(a > b for a, b in zip(values, values[1:]))',
      value: (values) => pairs(values).filter(([a, b]) => a > b).length,
    },
  },
  evens: {
    even: {
      chance: 0.45,
      python: 'sum(v % 2 == 0 for v in values)',
      value: (values) => count(values, (value) => !odd(value)),
    },
    odd: { chance: 0.35, python: 'sum(v % 2 for v in values)', value: (values) => count(values, odd) },
    distinct: {
      chance: 0.2,
      python: 'sum(v % 2 == 0 for v in set(values))',
      value: (values) => count([...new Set(values)], (value) => !odd(value)),
    },
  },
  last: {
    last: { chance: 0.5, python: 'values[-1]', value: last },
    beforeLast: { chance: 0.3, python: 'values[-2]', value: (values) => values.at(-2) },
    greatest: { chance: 0.2, python: 'max(values)', value: largest },
  },
  repeats: {
    surplus: {
      chance: 0.3,
      python: 'len(values) - len(set(values))',
      value: (values) => values.length - new Set(values).size,
    },
    distinct: { chance: 0.4, python: 'len(set(values))', value: (values) => new Set(values).size },
    twice: { chance: 0.3, python: 'len(values)', value: (values) => values.length },
  },
} as const satisfies Record<string, Record<string, Way>>

export type Part = keyof typeof parts

export const waysOf = (part: Part): [string, Way][] => Object.entries(parts[part])

/**
 * The ladder's tasks, from ones that the untrained policy nearly always answers to one that it never does. A task's id is its function's name with
 * dashes.
 */
export const rungs: Record<string, readonly Part[]> = {
  ladder_copy: ['copy'],
  ladder_head: ['first'],
  ladder_start: ['copy', 'first'],
  ladder_size: ['count'],
  ladder_ends: ['first', 'last'],
  ladder_sums: ['count', 'total'],
  ladder_range: ['smallest', 'largest'],
  ladder_shape: ['count', 'smallest', 'largest'],
  ladder_trend: ['spread', 'rises', 'last'],
  ladder_centre: ['count', 'total', 'middle', 'evens'],
  ladder_profile: ['smallest', 'largest', 'spread', 'middle', 'rises'],
  ladder_summary: [
    'count',
    'total',
    'smallest',
    'largest',
    'spread',
    'middle',
    'rises',
    'evens',
    'last',
    'repeats',
  ],
}

export const taskId = (name: string): string => name.replaceAll('_', '-')

/** Any JSON value. Numbers are those of the case file's text, parsed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

export type Shrunk = { args: Json[]; rounds: number; tried: number }

/**
 * The smallest argument list, reached from `args` by steps that keep an input well-formed, on which two bodies still differ.
 *
 * Steps are: leaving out stretches of a list, and replacing the numbers by small ones in the same order (so that a start before its end
 * stays before it). Lists that look like tuples, all siblings of one length, keep their length. The result is 1-minimal: no single further
 * step of these kinds works.
 *
 * @param differ told which of a batch of argument lists still make the bodies differ; it runs them, so batches are worth their size.
 */
export async function shrink(args: Json[], differ: (batch: Json[][]) => Promise<boolean[]>): Promise<Shrunk> {
  const free = freePaths(args)
  let best = args
  let rounds = 0
  let tried = 0
  for (;;) {
    const batch = smaller(best, free)
    if (batch.length === 0) break
    rounds += 1
    tried += batch.length
    const works = await differ(batch)
    const next = batch.find((_, i) => works[i])
    if (!next) break
    best = next
  }
  return { args: best, rounds, tried }
}

/** Candidates smaller than `args`, the boldest step first, so that the first that works is the one to take. */
function smaller(args: Json[], free: ReadonlySet<string>): Json[][] {
  const cuts = freeLists(args, free).flatMap(({ path, length }) =>
    stretches(length).map(([from, to]) =>
      edit(args, path, (list) => [...list.slice(0, from), ...list.slice(to)]),
    ),
  )
  const ranked = compressNumbers(args)
  return JSON.stringify(ranked) === JSON.stringify(args) ? cuts : [...cuts, ranked]
}

/** Stretches to leave out: halves, quarters … single items. */
function stretches(length: number): [number, number][] {
  const result: [number, number][] = []
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < length; from += size) result.push([from, Math.min(length, from + size)])
  }
  return result
}

type Path = readonly (number | string)[]

/** Where a list stands, whatever its index among siblings. */
const kindOf = (path: Path) => path.map((key) => (typeof key === 'number' ? '*' : key)).join('/')

function* lists(value: Json, path: Path): Generator<{ path: Path; list: Json[] }> {
  if (value === null || typeof value !== 'object') return
  if (Array.isArray(value)) yield { path, list: value }
  const entries = Array.isArray(value) ? value.map((item, i) => [i, item] as const) : Object.entries(value)
  for (const [key, item] of entries) yield* lists(item, [...path, key])
}

/** Kinds of list whose length may change: decided on the first input, since a shrunk one shows less of its shape. */
function freePaths(args: Json[]): ReadonlySet<string> {
  const lengths = new Map<string, Set<number>>()
  const free = new Set<string>()
  args.forEach((arg, i) => {
    for (const { path, list } of lists(arg, [i])) {
      const kind = kindOf(path)
      const isTupleLike = path.length > 1 && typeof path.at(-1) === 'number'
      if (!isTupleLike) free.add(kind)
      const seen = lengths.get(kind) ?? new Set()
      lengths.set(kind, seen.add(list.length))
      if (seen.size > 1) free.add(kind)
    }
  })
  return free
}

function freeLists(args: Json[], free: ReadonlySet<string>): { path: Path; length: number }[] {
  return args
    .flatMap((arg, i) => [...lists(arg, [i])])
    .filter(({ path, list }) => list.length > 0 && free.has(kindOf(path)))
    .map(({ path, list }) => ({ path, length: list.length }))
}

function edit(value: Json[], path: Path, change: (list: Json[]) => Json[]): Json[] {
  const apply = (node: Json, depth: number): Json => {
    if (depth === path.length) return Array.isArray(node) ? change(node) : node
    const key = path[depth]
    if (Array.isArray(node)) return node.map((item, i) => (i === key ? apply(item, depth + 1) : item))
    if (node !== null && typeof node === 'object')
      return Object.fromEntries(
        Object.entries(node).map(([k, item]) => [k, k === key ? apply(item, depth + 1) : item]),
      )
    return node
  }
  return apply(value, 0) as Json[]
}

/** Every distinct number by its rank from 0; equal stays equal, before stays before. Sets without negative numbers only. */
function compressNumbers(args: Json[]): Json[] {
  const numbers = new Set<number>()
  const collect = (value: Json): void => {
    if (typeof value === 'number') numbers.add(value)
    else if (value !== null && typeof value === 'object')
      for (const item of Object.values(value)) collect(item)
  }
  args.forEach(collect)
  const sorted = [...numbers].sort((a, b) => a - b)
  if ((sorted[0] ?? 0) < 0) return args
  const rank = new Map(sorted.map((number, i) => [number, i]))
  const replace = (value: Json): Json => {
    if (typeof value === 'number') return rank.get(value) ?? value
    if (Array.isArray(value)) return value.map(replace)
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item)]))
    return value
  }
  return args.map(replace)
}

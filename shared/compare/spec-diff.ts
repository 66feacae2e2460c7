/** One place in which specs differ; `values` in the order of the specs, as JSON text, null where a spec has none or is not known. */
export type SpecDifference = { path: string; values: (string | null)[] }

/** Names that differ between any two runs and explain nothing. */
const names = new Set(['run', 'name'])

/** Leaves in which the specs are not all alike, by path; what a run's figures may differ by comes first. */
export function specDifferences(specs: readonly (object | null)[]): SpecDifference[] {
  const leaves = specs.map((spec) => (spec === null ? null : leavesOf(spec)))
  const paths = new Set(leaves.flatMap((held) => (held === null ? [] : [...held.keys()])))
  return [...paths]
    .filter((path) => !names.has(path))
    .map((path) => ({ path, values: leaves.map((held) => held?.get(path) ?? null) }))
    .filter(({ values }) => new Set(values).size > 1)
    .sort((a, b) => weight(a.path) - weight(b.path) || a.path.localeCompare(b.path))
}

const weight = (path: string): number => {
  const first = ['trainer', 'suite', 'audit', 'verifier', 'box'].indexOf(path.split('.')[0] ?? '')
  return first === -1 ? 9 : first
}

function leavesOf(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    for (const [key, child] of Object.entries(value))
      leavesOf(child, path === '' ? key : `${path}.${key}`, into)
  } else into.set(path, JSON.stringify(value))
  return into
}

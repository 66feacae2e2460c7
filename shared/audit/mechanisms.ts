/** How a body that got full marks fails the audit. */
export type WrongIn = {
  task: string
  /** Draws that have this body. */
  draws: number
  /** The audit cases that it fails, by id. */
  failed: readonly string[]
}

/** `key` is the same from one look to the next, whatever else there is. */
export type Cluster<T> = { key: string; members: T[]; draws: number }

/**
 * Clusters false acceptances by the exact set of audit cases that they fail: two bodies with the same set are wrong in the same way as far as
 * the audit can tell, whatever they look like. Most draws first; ties by key, so that the order never depends on that of the bodies.
 */
export function clusterBySignature<T>(items: readonly T[], of: (item: T) => WrongIn): Cluster<T>[] {
  // Most programs share the list of what they fail with others, often the very same array.
  const lists = new Map<readonly string[], string>()
  const listOf = (failed: readonly string[]) => {
    const known = lists.get(failed) ?? [...failed].sort().join('\n')
    lists.set(failed, known)
    return known
  }
  const clusters = new Map<string, T[]>()
  for (const item of items) {
    const { task, failed } = of(item)
    const key = `${task}\n${listOf(failed)}`
    const known = clusters.get(key)
    if (known) known.push(item)
    else clusters.set(key, [item])
  }
  return [...clusters]
    .map(([key, members]) => ({
      key,
      members,
      draws: members.reduce((sum, item) => sum + of(item).draws, 0),
    }))
    .sort((a, b) => b.draws - a.draws || (a.key < b.key ? -1 : 1))
}

/**
 * How often a verifier orders two bodies the other way round than the audit.
 *
 * A pair is eligible when no score ties: the audit's two scores differ, and so do each verifier's. An eligible pair is discordant for a
 * verifier when its sign differs from the audit's. Pairs are unordered.
 *
 * @param audit one score a body. @param verifiers one list of scores, in the same order of bodies, for each verifier.
 */
export function orderingDisagreement<V extends string>(
  audit: readonly number[],
  verifiers: Record<V, readonly number[]>,
): { eligiblePairs: number; discordant: Record<V, number> } {
  const names = Object.keys(verifiers) as V[]
  const discordant = Object.fromEntries(names.map((name) => [name, 0])) as Record<V, number>
  const classes = countVectors(
    audit,
    names.map((name) => verifiers[name]),
  )
  let eligiblePairs = 0
  for (let i = 0; i < classes.length; i++) {
    for (let j = i + 1; j < classes.length; j++) {
      const [a, b] = [classes[i], classes[j]]
      if (!a || !b) continue
      const signs = a.scores.map((score, k) => Math.sign(score - (b.scores[k] ?? score)))
      if (signs.includes(0)) continue
      const pairs = a.count * b.count
      eligiblePairs += pairs
      names.forEach((name, k) => {
        if (signs[k + 1] !== signs[0]) discordant[name] += pairs
      })
    }
  }
  return { eligiblePairs, discordant }
}

/** Equal score vectors, counted: a study has far fewer of them than bodies, and pairs within a class tie anyway. */
function countVectors(
  audit: readonly number[],
  verifiers: (readonly number[])[],
): { scores: number[]; count: number }[] {
  const classes = new Map<string, { scores: number[]; count: number }>()
  audit.forEach((score, i) => {
    const scores = [score, ...verifiers.map((list) => list[i] ?? Number.NaN)]
    const key = scores.join(' ')
    const found = classes.get(key)
    if (found) found.count += 1
    else classes.set(key, { scores, count: 1 })
  })
  return [...classes.values()]
}

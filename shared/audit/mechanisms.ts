/** One body that got full marks and that the audit rejects. */
export type WrongBody = {
  bodySha256: string
  /** Rollouts and draws that have this body. */
  draws: number
  /** The audit cases that it fails, by id. */
  failed: readonly string[]
}

export type Cluster = { signature: readonly string[]; bodies: WrongBody[]; draws: number }

/**
 * Clusters false acceptances by the set of audit cases that they fail: bodies that are wrong in the same way fail the same cases, whatever
 * they look like. Most draws first; ties by signature, so that the order never depends on that of the bodies.
 */
export function clusterBySignature(bodies: readonly WrongBody[]): Cluster[] {
  const clusters = new Map<string, WrongBody[]>()
  for (const body of bodies) {
    const key = [...body.failed].sort().join('\n')
    clusters.set(key, [...(clusters.get(key) ?? []), body])
  }
  return [...clusters.entries()]
    .map(([key, members]) => ({
      signature: key.split('\n'),
      bodies: members.toSorted((a, b) => b.draws - a.draws || (a.bodySha256 < b.bodySha256 ? -1 : 1)),
      draws: members.reduce((sum, body) => sum + body.draws, 0),
    }))
    .sort((a, b) => b.draws - a.draws || (a.signature.join() < b.signature.join() ? -1 : 1))
}

export type FamilyShare = { family: string; failed: number; total: number }

/** How many cases of each family the signature holds, in order of family. */
export function familiesOf(
  signature: readonly string[],
  familyOf: ReadonlyMap<string, string>,
): FamilyShare[] {
  const failed = new Set(signature)
  const families = new Map<string, FamilyShare>()
  for (const [id, family] of familyOf) {
    const share = families.get(family) ?? { family, failed: 0, total: 0 }
    families.set(family, { family, failed: share.failed + (failed.has(id) ? 1 : 0), total: share.total + 1 })
  }
  return [...families.values()].sort((a, b) => (a.family < b.family ? -1 : 1))
}

/** A first name for a mechanism, from the families in which it fails; the operator may give a better one. */
export function nameOf(families: readonly FamilyShare[]): { name: string; description: string } {
  const hit = families
    .filter((share) => share.failed > 0)
    .sort((a, b) => b.failed / b.total - a.failed / a.total)
  const [worst] = hit
  if (!worst) return { name: 'fails nothing', description: 'fails no case of the audit' }
  const whole = worst.failed === worst.total ? 'all' : 'some'
  const others = hit.slice(1).map((share) => share.family)
  return {
    name: `${whole} ${worst.family}${others.length > 0 ? `, some ${others.join(', ')}` : ''}`,
    description: `fails ${hit.map((share) => `${share.failed} of ${share.total} ${share.family}`).join(', ')}; passes the rest`,
  }
}

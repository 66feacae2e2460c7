import type { Case } from '../domain/suite.ts'

/** A saved body as the training suite saw it. */
export type SavedBody = {
  /** Whether the audit holds it right; null where it has not said. */
  right: boolean | null
  /** The training cases that it did not pass; none where it was accepted. */
  failed: readonly string[]
}

/**
 * Which `count` cases to leave out of a suite so that others can take their place.
 *
 * One at a time: first the case whose loss would accept the fewest wrong bodies, then one that is not the last of its family, then the one
 * that the fewest saved wrong bodies fail, then one of the largest family. Bodies of which the audit does not know count as wrong: leaving out
 * what rejects them could not be called safe.
 * @returns ids, in the order of the choice; fewer than `count` only where the suite has no more.
 */
export function casesToDrop(cases: readonly Case[], bodies: readonly SavedBody[], count: number): string[] {
  const left = new Map(cases.map((one) => [one.id, one.family]))
  const failing = bodies
    .filter((body) => body.right !== true && body.failed.length > 0)
    .map((body) => new Set(body.failed.filter((id) => left.has(id))))
  const dropped: string[] = []
  while (dropped.length < count && left.size > 0) {
    const best = leastNeeded(left, failing)
    if (best === null) break
    dropped.push(best)
    left.delete(best)
    for (const failed of failing) failed.delete(best)
  }
  return dropped
}

function leastNeeded(left: ReadonlyMap<string, string>, failing: readonly Set<string>[]): string | null {
  const families = new Map<string, number>()
  for (const family of left.values()) families.set(family, (families.get(family) ?? 0) + 1)
  const needs = new Map([...left.keys()].map((id) => [id, { alone: 0, failed: 0 }]))
  for (const failed of failing) {
    for (const id of failed) {
      const need = needs.get(id)
      if (!need) continue
      need.failed += 1
      if (failed.size === 1) need.alone += 1
    }
  }
  const ranked = [...needs].map(([id, need]) => {
    const size = families.get(left.get(id) ?? '') ?? 0
    return { id, rank: [need.alone, size === 1 ? 1 : 0, need.failed, -size] }
  })
  ranked.sort((a, b) => compare(a.rank, b.rank) || (a.id < b.id ? 1 : -1))
  return ranked[0]?.id ?? null
}

function compare(a: number[], b: number[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

export type Verdicts = {
  acceptedRight: number
  acceptedWrong: number
  rejectedRight: number
  rejectedWrong: number
}

/** One saved body before and after. Scores are rewards, 0 to 1; all of them known. */
export type Regraded = {
  draws: number
  right: boolean
  audit: number
  before: { accepted: boolean; score: number }
  after: { accepted: boolean; score: number }
}

export type RepairEffect = {
  programs: { before: Verdicts; after: Verdicts }
  draws: { before: Verdicts; after: Verdicts }
  /** Programs: false acceptances that are none any more, new ones, right bodies accepted before and not now. */
  removed: number
  added: number
  lost: number
}

/** What a repair changes on the saved bodies, by programs and by draws. */
export function effectOf(bodies: readonly Regraded[]): RepairEffect {
  const count = (when: 'before' | 'after', weight: (body: Regraded) => number): Verdicts => {
    const cells = { acceptedRight: 0, acceptedWrong: 0, rejectedRight: 0, rejectedWrong: 0 }
    for (const body of bodies) {
      const side = body.right ? 'Right' : 'Wrong'
      cells[`${body[when].accepted ? 'accepted' : 'rejected'}${side}`] += weight(body)
    }
    return cells
  }
  const both = (weight: (body: Regraded) => number) => ({
    before: count('before', weight),
    after: count('after', weight),
  })
  const changed = (right: boolean, from: boolean) =>
    bodies.filter(
      (body) => body.right === right && body.before.accepted === from && body.after.accepted !== from,
    ).length
  return {
    programs: both(() => 1),
    draws: both((body) => body.draws),
    removed: changed(false, true),
    added: changed(false, false),
    lost: changed(true, true),
  }
}

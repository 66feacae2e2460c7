import { clusterBySignature } from '#shared/audit/mechanisms.ts'
import type { Status } from '#shared/domain/grade.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { Mechanism } from '#shared/ipc/contract.ts'
import type { MechanismNote, MechanismNotes } from './notes.ts'

/** A program that the run's verifier accepted and the audit did not, and what it fails there. */
export type FalseAcceptance = {
  task: string
  bodySha256: string
  draws: number
  firstRollout: string
  /** The audit's word. */
  status: Status
  reason: string | null
  total: number | null
  /** The audit's tests, and those that the body did not pass. */
  names: readonly string[]
  failed: readonly string[]
}

/** The audit suite's cases by their id, which is the name of the test. */
export type AuditCases = ReadonlyMap<string, Case>

export type FoundMechanism = Mechanism & { members: readonly FalseAcceptance[] }

/**
 * Clusters false acceptances by the exact set of audit cases that they fail: two programs with the same set are wrong in the same way as far
 * as the audit can tell. Largest first. A program can fail in a way of its own, so there may be as many clusters as programs. What a body
 * answered to the witness is in its grade and not known here: `observed` is null.
 * @param hash of a signature, for an id that stays the same from one look to the next.
 */
export function mechanismsOf(
  found: readonly FalseAcceptance[],
  cases: AuditCases,
  hash: (text: string) => string,
  notes: MechanismNotes = new Map(),
): FoundMechanism[] {
  const clusters = clusterBySignature(found, (one) => one)
  const mechanisms = clusters.map(({ key, members, draws }) => mechanism(hash(key), members, draws, cases))
  return withDistinctNames(mechanisms).map((one) => withNotes(one, notes.get(one.id)))
}

function mechanism(id: string, members: FalseAcceptance[], draws: number, cases: AuditCases): FoundMechanism {
  const [first] = members
  if (!first) throw new Error('a cluster has members')
  const families = familyCounts(first, cases)
  return {
    id,
    task: first.task,
    name: nameOf(families, first),
    description: sentenceFor(families, first),
    named: false,
    like: [],
    draws,
    programs: members.length,
    signature: { failed: first.failed.length, total: first.total ?? first.names.length, families },
    witness: smallestWitness(first, cases),
    example: { bodySha256: first.bodySha256, firstRollout: first.firstRollout },
    members,
  }
}

type FamilyCount = Mechanism['signature']['families'][number]

/** In the order in which the suite lists its families; tests that are no cases form the family `other`. */
function familyCounts({ names, failed }: FalseAcceptance, cases: AuditCases): FamilyCount[] {
  const counts = new Map<string, FamilyCount>()
  const wrong = new Set(failed)
  for (const name of names) {
    const family = cases.get(name)?.family ?? 'other'
    const count = counts.get(family) ?? { family, failed: 0, total: 0 }
    count.total += 1
    if (wrong.has(name)) count.failed += 1
    counts.set(family, count)
  }
  return [...counts.values()]
}

function nameOf(families: FamilyCount[], { reason, status }: FalseAcceptance): string {
  const hit = families.filter((family) => family.failed > 0)
  if (hit.length === 0) return `audit says ${reason ?? status}`
  if (hit.length > 2 && hit.length === families.filter((family) => family.total > 1).length)
    return 'fails all over'
  return hit.map(wordsFor).join(', ')
}

const wordsFor = ({ family, failed, total }: FamilyCount) =>
  failed === total ? `every ${family} case` : `${failed} of ${total} ${family} cases`

function sentenceFor(families: FamilyCount[], { status }: FalseAcceptance): string {
  const hit = families.filter((family) => family.failed > 0)
  if (hit.length === 0) return `The audit’s word is ${status}, no case failed.`
  const parts = hit.map((one) => `${one.failed} of ${one.total} ${one.family} cases`)
  const last = parts.pop()
  const list = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
  return `Fails ${list}${hit.length < families.length ? ', nothing else' : ''}.`
}

/** Clusters that fail equally many cases of the same families, but other ones, are told apart by a number. */
function withDistinctNames(mechanisms: FoundMechanism[]): FoundMechanism[] {
  const seen = new Map<string, number>()
  return mechanisms.map((one) => {
    const nth = (seen.get(one.name) ?? 0) + 1
    seen.set(one.name, nth)
    return nth === 1 ? one : { ...one, name: `${one.name} · ${nth}` }
  })
}

/** The failing case with the fewest numbers in its input, then the shortest input: the easiest to follow by hand. */
function smallestWitness({ failed }: FalseAcceptance, cases: AuditCases): Mechanism['witness'] {
  const candidates = failed.flatMap((name) => {
    const found = cases.get(name)
    return found ? [{ found, size: found.input.match(/-?\d[\d.eE+-]*/g)?.length ?? 0 }] : []
  })
  candidates.sort((a, b) => a.size - b.size || a.found.input.length - b.found.input.length)
  const smallest = candidates[0]
  if (!smallest) return null
  const { id, family, input, expected } = smallest.found
  return { case: id, family, input, expected, observed: null, shrunk: false }
}

/** What the operator called it holds over what the console says; a shrunk witness takes the place of the smallest failing case. */
function withNotes(one: FoundMechanism, note: MechanismNote | undefined): FoundMechanism {
  if (!note) return one
  const { named, explained } = note
  return {
    ...one,
    ...(named && {
      name: named.name || one.name,
      description: named.description || one.description,
      named: true,
    }),
    like: explained?.like ?? [],
    witness: explained?.witness
      ? { case: '', family: one.witness?.family ?? '', shrunk: true, ...explained.witness }
      : one.witness,
  }
}

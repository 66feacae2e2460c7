import { clusterBySignature } from '#shared/audit/mechanisms.ts'
import type { Grade, TestOutcome } from '#shared/domain/grade.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { Mechanism } from '#shared/ipc/contract.ts'
import type { BodyRow } from '../store/store.ts'
import type { MechanismNote, MechanismNotes } from './notes.ts'

/** A body that the run's verifier accepted and the audit did not, with the audit's grade in full. */
export type FalseAcceptance = { body: BodyRow; grade: Grade }

/** The audit suite's cases by their id, which is the name of the test. */
export type AuditCases = ReadonlyMap<string, Case>

/**
 * Clusters false acceptances by the exact set of audit cases that they fail: two programs with the same set are wrong in the same way as far
 * as the audit can tell. Largest first. A program can fail in a way of its own, so there may be as many clusters as programs.
 * @param hash of a signature, for an id that stays the same from one look to the next.
 */
export function mechanismsOf(
  found: readonly FalseAcceptance[],
  cases: AuditCases,
  hash: (text: string) => string,
  notes: MechanismNotes = new Map(),
): Mechanism[] {
  const clusters = clusterBySignature(found, ({ body, grade }) => ({
    task: body.task,
    draws: body.accepted,
    failed: failing(grade).map((test) => test.name),
  }))
  const mechanisms = clusters.map(({ key, members }) => mechanism(hash(key), members, cases))
  return withDistinctNames(mechanisms).map((one) => withNotes(one, notes.get(one.id)))
}

const failing = (grade: Grade): TestOutcome[] => grade.tests.filter((test) => test.outcome !== 'passed')

function mechanism(id: string, members: FalseAcceptance[], cases: AuditCases): Mechanism {
  const first = members[0]
  const grade = first?.grade
  const tests = grade?.tests ?? []
  const families = familyCounts(tests, cases)
  const failed = tests.filter((test) => test.outcome !== 'passed').length
  return {
    id,
    task: first?.body.task ?? '',
    name: nameOf(families, grade),
    description: sentenceFor(families, grade),
    named: false,
    like: [],
    draws: members.reduce((sum, { body }) => sum + body.accepted, 0),
    programs: members.length,
    signature: { failed, total: grade?.total ?? tests.length, families },
    witness: grade ? smallestWitness(grade, cases) : null,
    bodies: members.map(({ body, grade: audit }) => ({
      bodySha256: body.bodySha256,
      rollouts: body.rollouts,
      firstRollout: body.firstRollout,
      passed: audit.passed,
      total: audit.total,
      verdict: body.verdict?.verdict ?? null,
      note: body.verdict?.note ?? '',
    })),
  }
}

type FamilyCount = Mechanism['signature']['families'][number]

/** In the order in which the suite lists its families; tests that are no cases form the family `other`. */
function familyCounts(tests: TestOutcome[], cases: AuditCases): FamilyCount[] {
  const counts = new Map<string, FamilyCount>()
  for (const test of tests) {
    const family = cases.get(test.name)?.family ?? 'other'
    const count = counts.get(family) ?? { family, failed: 0, total: 0 }
    count.total += 1
    if (test.outcome !== 'passed') count.failed += 1
    counts.set(family, count)
  }
  return [...counts.values()]
}

function nameOf(families: FamilyCount[], grade: Grade | undefined): string {
  const hit = families.filter((family) => family.failed > 0)
  if (hit.length === 0) return `audit says ${grade?.reason ?? grade?.status ?? 'no'}`
  if (hit.length > 2 && hit.length === families.filter((family) => family.total > 1).length)
    return 'fails all over'
  return hit.map(wordsFor).join(', ')
}

const wordsFor = ({ family, failed, total }: FamilyCount) =>
  failed === total ? `every ${family} case` : `${failed} of ${total} ${family} cases`

function sentenceFor(families: FamilyCount[], grade: Grade | undefined): string {
  const hit = families.filter((family) => family.failed > 0)
  if (hit.length === 0) return `The audit’s word is ${grade?.status ?? 'missing'}, no case failed.`
  const parts = hit.map((one) => `${one.failed} of ${one.total} ${one.family} cases`)
  const last = parts.pop()
  const list = parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
  return `Fails ${list}${hit.length < families.length ? ', nothing else' : ''}.`
}

/** Clusters that fail equally many cases of the same families, but other ones, are told apart by a number. */
function withDistinctNames(mechanisms: Mechanism[]): Mechanism[] {
  const seen = new Map<string, number>()
  return mechanisms.map((one) => {
    const nth = (seen.get(one.name) ?? 0) + 1
    seen.set(one.name, nth)
    return nth === 1 ? one : { ...one, name: `${one.name} · ${nth}` }
  })
}

/** The failing case with the fewest numbers in its input, then the shortest input: the easiest to follow by hand. */
function smallestWitness(grade: Grade, cases: AuditCases): Mechanism['witness'] {
  const candidates = failing(grade).flatMap((test) => {
    const found = cases.get(test.name)
    return found ? [{ test, found, size: found.input.match(/-?\d[\d.eE+-]*/g)?.length ?? 0 }] : []
  })
  candidates.sort((a, b) => a.size - b.size || a.found.input.length - b.found.input.length)
  const smallest = candidates[0]
  if (!smallest) return null
  const { test, found } = smallest
  return {
    case: test.name,
    family: found.family,
    input: found.input,
    expected: test.expected ?? found.expected,
    observed: test.observed ?? null,
    shrunk: false,
  }
}

/** What the operator called it holds over what the console says; a shrunk witness takes the place of the smallest failing case. */
function withNotes(one: Mechanism, note: MechanismNote | undefined): Mechanism {
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

import { casesToDrop, effectOf, type Regraded } from '#shared/audit/repair.ts'
import { AppError } from '#shared/base/errors.ts'
import { type Grade, isGraded } from '#shared/domain/grade.ts'
import type { SuiteRef } from '#shared/domain/run.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { RepairReport } from '#shared/ipc/contract.ts'
import { orderingDisagreement } from '#shared/stats/ordering.ts'
import { loadSuite, type Suite, suiteRef } from '../runs/suites.ts'
import type { BodyRow } from '../store/store.ts'
import { type AskOptions, ask } from './answers.ts'
import { keyOf } from './regrade.ts'
import { writeRepaired } from './repair-suite.ts'
import { type SmallWitness, smallestWitness } from './witness.ts'

/** A body kept as evidence, with what either suite said of it. */
export type SavedProgram = { row: BodyRow; body: string; grade: Grade; audit: Grade | null }

export type RepairOptions = Omit<AskOptions, 'suite'> & {
  suite: Suite
  audit: Suite
  programs: readonly SavedProgram[]
  /** Smallest witnesses that are known already. */
  witnesses: readonly SmallWitness[]
  cases: 'add' | 'swap'
  /** Where made suites are kept. */
  made: string
  /** Grades all programs by the suite that was made. */
  regrade: (made: Suite, programs: readonly SavedProgram[]) => Promise<ReadonlyMap<string, Grade>>
  now: () => Date
}

/**
 * A new version of the training suite that rejects every false acceptance there is, and what it changes on all saved bodies. New cases are
 * smallest witnesses, found by running the bodies themselves, so the audit's own cases stay apart.
 */
export async function repairSuite(options: RepairOptions): Promise<RepairReport> {
  const { suite, programs } = options
  const wrong = programs.filter(isFalseAcceptance).toSorted((a, b) => b.row.accepted - a.row.accepted)
  if (wrong.length === 0)
    throw new AppError('bad_input', 'There is no false acceptance to repair from.', {
      hint: 'Audit more bodies first.',
    })
  if ([...suite.cases.values()].flat().length === 0)
    throw new AppError('bad_input', `${suite.manifest.name} has no cases that could be added to.`, {
      hint: 'Write the test that is missing into its workspace.',
    })
  const witnesses = await coveringWitnesses(options, wrong)
  const add = newCases(suite, witnesses)
  const drop = options.cases === 'swap' ? casesLeftOut(suite, programs, add) : new Map<string, Set<string>>()
  const wrongBodies = onePerWitness(witnesses)
  const made = await writeRepaired(suite, options.made, { add, drop, wrongBodies })
  const after = await options.regrade(await loadSuite(made.path), programs)
  return report(options, {
    made,
    witnesses,
    add,
    drop,
    after,
    controls: [...wrongBodies.values()].flat().length,
  })
}

const isFalseAcceptance = ({ row, audit }: SavedProgram) =>
  row.accepted > 0 && audit !== null && isGraded(audit.status) && audit.status !== 'passed'

type Covering = SmallWitness & { body: string }

/** Witnesses until every wrong body fails one: those known first, then one shrunk from each body that none of them catches. */
async function coveringWitnesses(
  options: RepairOptions,
  wrong: readonly SavedProgram[],
): Promise<Covering[]> {
  const found: Covering[] = []
  let open = [...wrong]
  const take = async (witness: SmallWitness) => {
    const caught = await caughtBy(options, witness, open)
    const [first] = caught
    if (!first) return
    found.push({ ...witness, body: first.body })
    open = open.filter((program) => !caught.includes(program))
  }
  for (const witness of options.witnesses) if (open.length > 0) await take(witness)
  while (open[0]) {
    const [program] = open
    const input = smallestFailingInput(options.audit, program)
    // What fails without a failing case (its build, its time) needs no case: the suite would have to be another one.
    if (input === null) open = open.slice(1)
    else
      await take(
        await smallestWitness({ ...options, suite: options.audit }, program.row.task, program.body, input),
      )
  }
  return found
}

async function caughtBy(
  options: RepairOptions,
  witness: SmallWitness,
  open: SavedProgram[],
): Promise<SavedProgram[]> {
  const same = open.filter(({ row }) => row.task === witness.task)
  if (same.length === 0) return []
  const bodies = new Map(same.map((program) => [program.row.bodySha256, program.body]))
  const answers = await ask({ ...options, suite: options.audit }, witness.task, [witness.input], bodies)
  return same.filter(({ row }) => answers.get(row.bodySha256)?.[0] !== witness.expected)
}

/** The failing case with the shortest input: shrinking starts there. */
export function smallestFailingInput(audit: Suite, { row, audit: grade }: SavedProgram): string | null {
  const failed = new Set(grade?.tests.filter((test) => test.outcome !== 'passed').map((test) => test.name))
  const inputs = (audit.cases.get(row.task) ?? [])
    .filter(({ id }) => failed.has(id))
    .map(({ input }) => input)
  return inputs.toSorted((a, b) => a.length - b.length)[0] ?? null
}

function newCases(suite: Suite, witnesses: readonly Covering[]): Map<string, Case[]> {
  const add = new Map<string, Case[]>()
  for (const { task, input, expected } of witnesses) {
    const known = [...(suite.cases.get(task) ?? []), ...(add.get(task) ?? [])]
    if (known.some((one) => one.input === input)) continue
    let n = 1
    while (known.some(({ id }) => id === `witness-${n}`)) n += 1
    add.set(task, [...(add.get(task) ?? []), { id: `witness-${n}`, family: 'witness', input, expected }])
  }
  return add
}

function casesLeftOut(
  suite: Suite,
  programs: readonly SavedProgram[],
  add: ReadonlyMap<string, Case[]>,
): Map<string, Set<string>> {
  return new Map(
    [...add].map(([task, cases]) => {
      const saved = programs
        .filter(({ row }) => row.task === task)
        .map(({ grade, audit }) => ({
          right: audit && isGraded(audit.status) ? audit.status === 'passed' : null,
          failed: grade.tests.filter((test) => test.outcome !== 'passed').map((test) => test.name),
        }))
      return [task, new Set(casesToDrop(suite.cases.get(task) ?? [], saved, cases.length))]
    }),
  )
}

function onePerWitness(witnesses: readonly Covering[]): Map<string, string[]> {
  const bodies = new Map<string, string[]>()
  for (const { task, body } of witnesses) bodies.set(task, [...(bodies.get(task) ?? []), body])
  return bodies
}

type Made = {
  made: SuiteRef
  witnesses: readonly Covering[]
  add: ReadonlyMap<string, Case[]>
  drop: ReadonlyMap<string, ReadonlySet<string>>
  after: ReadonlyMap<string, Grade>
  controls: number
}

function report(options: RepairOptions, { made, witnesses, add, drop, after, controls }: Made): RepairReport {
  const { suite, audit, programs, now } = options
  const known = programs.flatMap((program) => regraded(program, after.get(keyOf(program.row))))
  const many = known.flatMap((one) => Array.from({ length: one.draws }, () => one))
  const { eligiblePairs, discordant } = orderingDisagreement(
    many.map((one) => one.audit),
    { before: many.map((one) => one.before.score), after: many.map((one) => one.after.score) },
  )
  const added = [...add].flatMap(([task, cases]) =>
    cases.map(({ id, input, expected }) => {
      const observed = witnesses.find((one) => one.task === task && one.input === input)?.observed ?? null
      return { id, task, input, expected, observed }
    }),
  )
  const removed = [...drop].flatMap(([task, ids]) =>
    (suite.cases.get(task) ?? [])
      .filter(({ id }) => ids.has(id))
      .map(({ id, family }) => ({ id, task, family })),
  )
  const before = [...suite.cases.values()].flat().length
  return {
    at: now().toISOString(),
    base: suiteRef(suite),
    suite: made,
    added,
    removed,
    sharedWithAudit: added.filter(({ task, input }) =>
      audit.cases.get(task)?.some((one) => one.input === input),
    ).length,
    tests: { before, after: before + added.length - removed.length },
    controls,
    regraded: after.size,
    unknown: programs.length - known.length,
    effect: effectOf(known),
    ordering: { eligiblePairs, ...discordant },
  }
}

function regraded({ row, grade, audit }: SavedProgram, after: Grade | undefined): Regraded[] {
  if (audit?.reward == null || grade.reward === null || after?.reward == null) return []
  return [
    {
      draws: row.rollouts,
      right: audit.status === 'passed',
      audit: audit.reward,
      before: { accepted: grade.status === 'passed', score: grade.reward },
      after: { accepted: after.status === 'passed', score: after.reward },
    },
  ]
}

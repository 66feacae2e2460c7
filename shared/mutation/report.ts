import { isGraded, type Status } from '../domain/grade.ts'

/**
 * What became of one mutant: `killed` by the training suite, a would-be `false_acceptance` (training accepts, the audit rejects), `unseen` (no
 * suite at hand tells it from the reference: equivalent to it, or a hole in both), `false_rejection` (only the audit accepts), or `unknown`.
 */
export type Fate = 'killed' | 'false_acceptance' | 'unseen' | 'false_rejection' | 'unknown'

/** @param audit null where there is no audit, or where it was not asked. */
export function fateOf(training: Status, audit: Status | null): Fate {
  if (!isGraded(training) || (audit !== null && !isGraded(audit))) return 'unknown'
  if (training === 'passed') return audit === null || audit === 'passed' ? 'unseen' : 'false_acceptance'
  return audit === 'passed' ? 'false_rejection' : 'killed'
}

export type MutantRow = {
  task: string
  /** With the reference's hash the name by which a mark as equivalent is kept. */
  id: string
  referenceSha256: string
  operator: string
  line: number
  before: string
  after: string
  training: Status
  audit: Status | null
  fate: Fate
  /** Why the operator holds it equivalent to the reference; null where it is not marked. */
  equivalent: string | null
  body: string
}

export type MutantCounts = {
  /** Mutants that the operators can make; those graded are fewer where only a sample was. */
  possible: number
  graded: number
  killed: number
  falseAcceptances: number
  unseen: number
  equivalent: number
  unknown: number
  /** Rejected by training ÷ graded, those marked equivalent and unknown left out of both; null where nothing is left. */
  score: number | null
}

export function countMutants(rows: readonly MutantRow[], possible: number): MutantCounts {
  const open = rows.filter((row) => row.equivalent === null)
  const count = (...fates: Fate[]) => open.filter((row) => fates.includes(row.fate)).length
  const killed = count('killed', 'false_rejection')
  const scored = open.length - count('unknown')
  return {
    possible,
    graded: rows.length,
    killed,
    falseAcceptances: count('false_acceptance'),
    unseen: count('unseen'),
    equivalent: rows.length - open.length,
    unknown: count('unknown'),
    score: scored === 0 ? null : killed / scored,
  }
}

type SuiteName = { name: string; version: string; sha256: string }

export type MutantReport = {
  suite: SuiteName
  audit: SuiteName | null
  total: MutantCounts
  tasks: (MutantCounts & { task: string })[]
  /** Those that training accepted, would-be false acceptances first. */
  survivors: MutantRow[]
  /** The reference bodies that they are mutants of, by task. */
  references: Record<string, string>
}

const order: Record<Fate, number> = {
  false_acceptance: 0,
  unseen: 1,
  unknown: 2,
  false_rejection: 3,
  killed: 4,
}

/** @param possible mutants that could be made, by task; a task without any is listed with none. */
export function reportOf(
  suite: SuiteName,
  audit: SuiteName | null,
  rows: readonly MutantRow[],
  possible: ReadonlyMap<string, number>,
  references: Record<string, string>,
): MutantReport {
  const sum = [...possible.values()].reduce((all, count) => all + count, 0)
  return {
    suite,
    audit,
    references,
    total: countMutants(rows, sum),
    tasks: [...possible].map(([task, count]) => ({
      task,
      ...countMutants(
        rows.filter((row) => row.task === task),
        count,
      ),
    })),
    survivors: rows
      .filter((row) => row.training === 'passed')
      .toSorted(
        (a, b) =>
          order[a.fate] - order[b.fate] || (a.task < b.task ? -1 : a.task > b.task ? 1 : a.line - b.line),
      ),
  }
}

/** The same report with the marks as they are now: only what training accepted can be marked, so what it noticed stays as it is. */
export function withMarks(report: MutantReport, markOf: (row: MutantRow) => string | null): MutantReport {
  const survivors = report.survivors.map((row) => ({ ...row, equivalent: markOf(row) }))
  const counted = (counts: MutantCounts, rows: readonly MutantRow[]): MutantCounts => {
    const now = countMutants(rows, counts.possible)
    const scored = counts.killed + now.falseAcceptances + now.unseen
    return {
      ...counts,
      falseAcceptances: now.falseAcceptances,
      unseen: now.unseen,
      equivalent: now.equivalent,
      score: scored === 0 ? null : counts.killed / scored,
    }
  }
  return {
    ...report,
    survivors,
    total: counted(report.total, survivors),
    tasks: report.tasks.map((counts) => ({
      ...counts,
      ...counted(
        counts,
        survivors.filter(({ task }) => task === counts.task),
      ),
    })),
  }
}

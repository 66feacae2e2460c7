import type { AuditView, TriageList, TriageRow, Verdict } from '#shared/ipc/contract.ts'

export const verdicts: { verdict: Verdict; label: string; key: string; meaning: string }[] = [
  { verdict: 'right', label: 'right', key: '1', meaning: 'the body is right after all: the audit errs' },
  { verdict: 'wrong', label: 'wrong', key: '2', meaning: 'the body is wrong: the training suite has a hole' },
  { verdict: 'unclear', label: 'unclear', key: '3', meaning: 'the task does not say' },
  {
    verdict: 'cheating',
    label: 'cheating',
    key: '4',
    meaning: 'it was written to the tests, not to the task',
  },
  {
    verdict: 'test_at_fault',
    label: 'test at fault',
    key: '5',
    meaning: 'a test asks for what the task does not',
  },
]

export const verdictLabel = (verdict: Verdict): string =>
  verdicts.find((entry) => entry.verdict === verdict)?.label ?? verdict

export type Judged = { verdict: Verdict | null; note: string }
/** Verdicts given here that the core may not have read back yet, by body. */
export type Given = Record<string, Judged>

/** Every program of the list with what was last said of it. Rows of which nothing was said here stay the same objects. */
export function reviewRows(list: TriageList, given: Given): TriageRow[] {
  return list.rows.map((row) => {
    const said = row.bodySha256 === null ? undefined : given[row.bodySha256]
    return said === undefined ? row : { ...row, ...said }
  })
}

/** Programs and draws by verdict; `null` counts the open ones. */
export function countVerdicts(
  rows: readonly TriageRow[],
): Map<Verdict | null, { programs: number; draws: number }> {
  const counts = new Map<Verdict | null, { programs: number; draws: number }>()
  for (const { verdict, draws } of rows) {
    const known = counts.get(verdict) ?? { programs: 0, draws: 0 }
    counts.set(verdict, { programs: known.programs + 1, draws: known.draws + draws })
  }
  return counts
}

/** One line a program, for reading elsewhere: what it is, how it scored, what was said of it, and of what share this is. */
export function exportVerdicts(audit: AuditView, list: TriageList, rows: readonly TriageRow[]): string {
  const names = new Map(list.groups.map((group) => [group.id, group.name]))
  return rows
    .map(({ key: _, group, ...row }) =>
      JSON.stringify({
        run: audit.run,
        list: list.queue,
        auditedShare: audit.share,
        group: names.get(group) ?? group,
        ...row,
      }),
    )
    .map((line) => `${line}\n`)
    .join('')
}

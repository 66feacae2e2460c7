export { neighbourOf, nextOpen } from '#shared/audit/triage.ts'

import type { AuditView, Mechanism, Verdict } from '#shared/ipc/contract.ts'

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
export type ReviewBody = Mechanism['bodies'][number] & { mechanism: string }

/** Every falsely accepted program in the order of the list, with what was last said of it. */
export function reviewBodies(audit: AuditView, given: Given): ReviewBody[] {
  return audit.mechanisms.flatMap((mechanism) =>
    mechanism.bodies.map((body) => ({ ...body, ...given[body.bodySha256], mechanism: mechanism.id })),
  )
}

/** Programs and draws by verdict; `null` counts the open ones. */
export function countVerdicts(
  bodies: ReviewBody[],
): Map<Verdict | null, { programs: number; draws: number }> {
  const counts = new Map<Verdict | null, { programs: number; draws: number }>()
  for (const { verdict, rollouts } of bodies) {
    const { programs, draws } = counts.get(verdict) ?? { programs: 0, draws: 0 }
    counts.set(verdict, { programs: programs + 1, draws: draws + rollouts })
  }
  return counts
}

/** One line a program, for reading elsewhere: what it is, how it scored, what was said of it. */
export function exportVerdicts(audit: AuditView, given: Given): string {
  const names = new Map(audit.mechanisms.map((mechanism) => [mechanism.id, mechanism.name]))
  return reviewBodies(audit, given)
    .map(({ mechanism, rollouts, ...body }) =>
      JSON.stringify({
        run: audit.run,
        mechanism: names.get(mechanism) ?? mechanism,
        draws: rollouts,
        ...body,
      }),
    )
    .map((line) => `${line}\n`)
    .join('')
}

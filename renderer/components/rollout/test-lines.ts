import type { Grade, TestOutcome } from '#shared/domain/grade.ts'
import type { CaseFacts } from '#shared/ipc/contract.ts'
import type { MarkStatus } from '../marks/status-info.ts'

export type TestLine = TestOutcome & { family: string | null; input: string | null; number: number }

const marks: Record<TestOutcome['outcome'], MarkStatus> = {
  passed: 'passed',
  failed: 'test_failed',
  timed_out: 'timed_out',
  crashed: 'build_failed',
  not_run: 'unresolved',
  tampered: 'tampered',
}

/** Outcomes of one test are drawn with the marks of the statuses that they lead to. */
export const markOf = (outcome: TestOutcome['outcome']): MarkStatus => marks[outcome]

/** A grade's tests with what the suite says of each, those that failed first, otherwise in the suite's order. */
export function testLines(grade: Grade | null, cases: CaseFacts): TestLine[] {
  const lines = (grade?.tests ?? []).map((test, index) => ({
    ...test,
    family: cases[test.name]?.family ?? null,
    input: cases[test.name]?.input ?? null,
    number: index + 1,
  }))
  return lines.sort(
    (a, b) => Number(a.outcome === 'passed') - Number(b.outcome === 'passed') || a.number - b.number,
  )
}

/** Lines in which every word of `text` occurs: in name, family, outcome, input, expected or observed value. */
export function filterLines(lines: TestLine[], text: string): TestLine[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return lines
  return lines.filter((line) => {
    const hay = [line.name, line.family, line.outcome, line.input, line.expected, line.observed, line.detail]
      .join(' ')
      .toLowerCase()
    return words.every((word) => hay.includes(word))
  })
}

/** The failing line that says most with least: the one with the shortest input, or else the first. */
export function smallestFailure(lines: TestLine[]): TestLine | null {
  const failed = lines.filter((line) => line.outcome !== 'passed' && !line.control)
  return failed.reduce<TestLine | null>((best, line) => {
    if (best === null) return line
    return (line.input?.length ?? Infinity) < (best.input?.length ?? Infinity) ? line : best
  }, null)
}

/** Passed of total by family, in the suite's order. Negative controls are counted in a family of their own. */
export function byFamily(lines: TestLine[]): { family: string; passed: number; total: number }[] {
  const families = new Map<string, { family: string; passed: number; total: number }>()
  for (const line of [...lines].sort((a, b) => a.number - b.number)) {
    const family = line.control ? 'controls' : (line.family ?? 'tests')
    const entry = families.get(family) ?? { family, passed: 0, total: 0 }
    entry.total++
    if (line.outcome === 'passed') entry.passed++
    families.set(family, entry)
  }
  return [...families.values()]
}

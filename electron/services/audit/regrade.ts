import type { Grade, GradeLine } from '#shared/domain/grade.ts'
import type { SuiteSource } from '#shared/domain/run.ts'
import { sourceArguments } from '../runs/suite-source.ts'
import type { Suite } from '../runs/suites.ts'
import type { BodyRow, Store } from '../store/store.ts'
import { gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'
import type { OwnVerifierOptions } from '../verifier/own-verifier.ts'

export type RegradeOptions = Pick<OwnVerifierOptions, 'ledger' | 'scratch' | 'env'> & {
  run: string
  store: Store
  suite: Pick<Suite, 'path'>
  source: SuiteSource | null
  origin: 'repaired' | 'other'
  now: () => Date
  /** As bodies are graded; not a promise of an order. */
  onGrade?: (done: number, of: number) => void
}

type Kept = { row: BodyRow; body: string }

export const keyOf = ({ task, bodySha256 }: Pick<BodyRow, 'task' | 'bodySha256'>) => `${task}/${bodySha256}`

/**
 * Grades saved bodies once more by `suite`. Every grade becomes a record of the run, its evidence in the store before it, so that the suite
 * stands beside the others in the audit's tables.
 * @returns grades by task and body. @throws {AppError} `unresolved` where a body got no answer: then nothing is recorded.
 */
export async function regradeBodies(
  options: RegradeOptions,
  kept: readonly Kept[],
): Promise<Map<string, Grade>> {
  const { ledger, scratch, env, run, store, suite, onGrade } = options
  const own: OwnVerifierOptions = {
    ledger,
    scratch,
    env,
    run,
    suite: suite.path,
    workers: 2,
    purpose: options.origin === 'repaired' ? 'repair verifier' : 'regrade verifier',
    background: true,
    args: sourceArguments(options.source),
  }
  const items = kept.map(({ row, body }) => ({ id: keyOf(row), task: row.task, body }))
  return withOwnVerifier(own, async (verifier) => {
    const grades = await gradeAll(verifier, items, { onGrade: (done) => onGrade?.(done, items.length) })
    for (const { evidenceSha256 } of grades.values()) {
      const bytes = evidenceSha256 === null ? null : await verifier.client.evidence(evidenceSha256)
      if (bytes) await store.evidence.put(bytes)
    }
    await store.recordAll(
      run,
      kept.flatMap(({ row }) => recordOf(options, row, grades.get(keyOf(row)))),
    )
    return grades
  })
}

function recordOf(
  { now, origin }: RegradeOptions,
  { task, bodySha256 }: BodyRow,
  line: GradeLine | undefined,
) {
  if (!line) return []
  const { id: _, task: __, extraction: ___, ...grade } = line
  const at = now().toISOString()
  return [{ at, type: 'suite.graded' as const, bodySha256, task, origin, grade: { ...grade, tests: [] } }]
}

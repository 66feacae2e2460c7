import type { GradeLine } from '#shared/domain/grade.ts'
import type { ControlResult } from '#shared/domain/verifier.ts'
import type { LeaseLedger } from '../leases/ledger.ts'
import { type Body, gradeAll, withOwnVerifier } from '../verifier/grade-all.ts'

export type ProveDeps = {
  ledger: LeaseLedger
  scratch: string
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
  onLog?: (line: string) => void
  onProgress?: (stage: string, done: number, of: number) => void
}

/** What a verifier of the console's own says about a suite that nobody has used yet: bodies in their order, then the controls of each task. */
export type Proof = { grades: Map<string, GradeLine>; controls: Map<string, ControlResult[]> }

/**
 * Grades `bodies` and runs every control of `controlled` tasks.
 * @param suite folder of the suite. @param args extra arguments of the verifier (`--repo`, `--commit`).
 */
export async function prove(
  deps: ProveDeps,
  suite: string,
  args: string[],
  bodies: Body[],
  controlled: readonly string[],
): Promise<Proof> {
  const { ledger, scratch, env, signal, onLog, onProgress } = deps
  const options = {
    ...{ ledger, scratch, env, suite, args },
    run: null,
    workers: 2,
    purpose: 'task build verifier',
    ...(onLog && { onLog }),
  }
  return withOwnVerifier(options, async (verifier) => {
    const grades = await gradeAll(verifier, bodies, {
      ...(signal && { signal }),
      onGrade: (done) => onProgress?.('bodies', done, bodies.length),
    })
    const controls = new Map<string, ControlResult[]>()
    for (const task of controlled) {
      controls.set(task, (await verifier.client.controls(task, signal)).controls)
      onProgress?.('controls', controls.size, controlled.length)
    }
    return { grades, controls }
  })
}

/** A grade in a few words. */
export const gradeWords = (grade: GradeLine | undefined): string =>
  grade === undefined
    ? 'no grade'
    : [
        grade.status.replaceAll('_', ' '),
        grade.reason === null ? '' : `(${grade.reason.replaceAll('_', ' ')})`,
        grade.total === null ? '' : `${grade.passed} of ${grade.total} tests`,
      ]
        .filter((word) => word !== '')
        .join(' ')

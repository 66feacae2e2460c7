import { AppError } from '#shared/base/errors.ts'
import type { GradeLine } from '#shared/domain/grade.ts'
import { type OwnVerifier, type OwnVerifierOptions, startOwnVerifier } from './own-verifier.ts'

export type Body = { id: string; task: string; body: string }
/** Grades bodies by one suite; a grade a body, by its id. */
export type GradeAll = (bodies: Body[]) => Promise<Map<string, GradeLine>>

/** Bodies a request: enough to keep the workers busy, far below the API's limits. */
const batchSize = 256

/** @throws {AppError} `unresolved` where a body got no answer. */
export async function gradeAll(
  { client }: Pick<OwnVerifier, 'client'>,
  bodies: Body[],
  { signal, onGrade }: { signal?: AbortSignal; onGrade?: (done: number) => void } = {},
): Promise<Map<string, GradeLine>> {
  const grades = new Map<string, GradeLine>()
  for (let at = 0; at < bodies.length; at += batchSize) {
    const items = bodies.slice(at, at + batchSize)
    for await (const line of client.grade({ run: 'console', items }, signal)) {
      grades.set(line.id, line)
      onGrade?.(grades.size)
    }
  }
  if (grades.size < bodies.length)
    throw new AppError('unresolved', `The verifier answered ${grades.size} of ${bodies.length} bodies.`)
  return grades
}

/** A verifier of the console's own for one piece of work, ended whatever happens. */
export async function withOwnVerifier<T>(
  options: OwnVerifierOptions,
  work: (verifier: OwnVerifier) => Promise<T>,
): Promise<T> {
  const verifier = await startOwnVerifier(options)
  try {
    return await work(verifier)
  } finally {
    await verifier.dispose()
  }
}

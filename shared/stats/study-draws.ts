import { z } from 'zod'
import type { Study, StudyDraw } from '../domain/study.ts'

/** Which draws a figure of a study counts: all that is named must hold. */
export const DrawsOf = z.object({
  arm: z.string().optional(),
  update: z.number().int().optional(),
  /** Only of the final cohort, the largest update that occurs. */
  final: z.literal(true).optional(),
  bucket: z.enum(['full', 'partial', 'at_most_one']).optional(),
  /** The audit's very score, in cases. */
  audit: z.number().int().optional(),
  right: z.boolean().optional(),
  /** What a verifier said, and which. */
  verifier: z.string().optional(),
  accepted: z.boolean().optional(),
  inclusive: z.literal(true).optional(),
  tokenCap: z.literal(true).optional(),
  parses: z.literal(true).optional(),
  program: z.boolean().optional(),
  /** The first so many draws of each policy of the final cohort. */
  first: z.number().int().positive().optional(),
})
export type DrawsOf = z.infer<typeof DrawsOf>

/** The draws behind a figure, in the order of the table. */
export function drawsOf({ draws, cases }: Study, of: DrawsOf): StudyDraw[] {
  const last = Math.max(...draws.map((draw) => draw.update))
  const all = cases.audit ?? 0
  const bucketOf = (draw: StudyDraw) =>
    draw.audit === all ? 'full' : draw.audit <= 1 ? 'at_most_one' : 'partial'
  const is = <T>(wanted: T | undefined, found: T) => wanted === undefined || wanted === found
  const accepted = (draw: StudyDraw) =>
    of.verifier !== undefined && draw.verifiers[of.verifier] === cases[of.verifier]
  const kept = draws.filter(
    (draw) =>
      is(of.arm, draw.arm) &&
      is(of.update, draw.update) &&
      is(of.final || of.first ? true : undefined, draw.update === last) &&
      is(of.bucket, bucketOf(draw)) &&
      is(of.audit, draw.audit) &&
      is(of.right, draw.audit === all) &&
      is(of.accepted, accepted(draw)) &&
      is(of.inclusive, draw.inclusiveSignature) &&
      is(of.tokenCap, draw.hitTokenCap) &&
      is(of.parses, draw.syntaxValid) &&
      is(of.program, draw.source !== null),
  )
  return of.first === undefined ? kept : kept.filter(among(draws, last, of.first))
}

/** Whether a draw is among the first `n` of its policy, counted before anything else is asked of it. */
function among(draws: readonly StudyDraw[], last: number, n: number): (draw: StudyDraw) => boolean {
  const policies = new Map<string, StudyDraw[]>()
  for (const draw of draws) {
    if (draw.update !== last) continue
    const policy = `${draw.arm} ${draw.seed}`
    policies.set(policy, [...(policies.get(policy) ?? []), draw])
  }
  const first = new Set(
    [...policies.values()].flatMap((own) =>
      own.toSorted((a, b) => Number(a.draw) - Number(b.draw)).slice(0, n),
    ),
  )
  return (draw) => first.has(draw)
}

import type { Status } from '#shared/domain/grade.ts'
import type { Case } from '#shared/domain/suite.ts'
import type { Choices } from '../policy/holes.ts'
import { simulate } from './simulate.ts'

export type Score = { status: Status; reason: string | null; passed: number | null; outcomes: boolean[] }

/** Status and passed cases of a sketch, as a verifier with these cases would find them. Detours are scored by what they are written to be. */
export function score(choices: Choices, variant: number, cases: readonly Case[]): Score {
  const none = (status: Status, reason: string | null): Score => ({
    status,
    reason,
    passed: null,
    outcomes: [],
  })
  if (choices.reply === 'prose') return none('no_answer', 'fence_count')
  const extraction = extractionOf(choices)
  if (extraction !== 'body') return none('no_answer', extraction)
  switch (choices.reply) {
    case 'broken':
      return none('build_failed', null)
    case 'endless':
      return none('timed_out', null)
    case 'cheat':
      // The last cheat answers with a number that claims to equal every other; on the wire it is just that number.
      return variant === 2 ? compare(cases, () => 0) : none('tampered', 'simulated')
    case 'constant':
      return compare(cases, () => variant + 1)
    default:
      return compare(cases, (bookings) => simulate(choices, bookings))
  }
}

export function extractionOf({
  reply,
  fence,
}: Choices): 'body' | 'fence_count' | 'fence_language' | 'unclosed' {
  if (reply === 'prose') return 'fence_count'
  if (fence === 'twice' || fence === 'none') return 'fence_count'
  if (fence === 'other') return 'fence_language'
  return fence === 'unclosed' ? 'unclosed' : 'body'
}

function compare(cases: readonly Case[], solve: (bookings: [number, number][]) => number | null): Score {
  const outcomes = cases.map((one) => JSON.stringify(solve(JSON.parse(one.input)[0])) === one.expected)
  const passed = outcomes.filter(Boolean).length
  return { status: passed === cases.length ? 'passed' : 'test_failed', reason: null, passed, outcomes }
}

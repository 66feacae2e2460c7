import type { Case } from '#shared/domain/suite.ts'
import { Random } from '#shared/grpo/random.ts'
import { drawBookings, type Family, families } from './draw-case.ts'
import { type Booking, inclusiveOracle, inputOrderTies, requiredCapacity } from './solvers.ts'

export const suiteNames = ['reference', 'weak', 'repaired', 'audit'] as const
export type SuiteName = (typeof suiteNames)[number]

/** A change of it is a new version of all four suites. */
const seed = 20_260_731

const trainCounts: Record<Family, number> = { empty: 1, ordinary: 44, duplicate: 12, boundary: 39 }
const auditCounts: Record<Family, number> = { empty: 1, ordinary: 72, duplicate: 24, boundary: 95 }

/** How many ordinary cases of the weak suite the repaired one gives up for boundary cases. */
const repairs = 8

/**
 * The cases of the four suites: 96, 57, 57 and 192 (families and counts as in the published booking study; the cases are our own). All
 * inputs are distinct, but for the empty one, which training and audit share: 287 in all.
 */
export function composeSuites(): Record<SuiteName, Case[]> {
  const seen = new Set<string>()
  const reference = drawCases('', trainCounts, Random.of(seed, 'train'), seen)
  const audit = drawCases('audit-', auditCounts, Random.of(seed, 'audit'), seen)
  const weak = reference.filter((one) => one.family !== 'boundary')
  return { reference, weak, repaired: repair(reference, weak), audit }
}

/** Replaces the last ordinary cases by the first boundary cases on which both known mechanisms are wrong, as the study's repair did. */
function repair(reference: Case[], weak: Case[]): Case[] {
  const added = reference.filter((one) => one.family === 'boundary' && tellsBoth(one)).slice(0, repairs)
  const dropped = new Set(weak.filter((one) => one.family === 'ordinary').slice(-added.length))
  const kept = new Set([...weak.filter((one) => !dropped.has(one)), ...added])
  return reference.filter((one) => kept.has(one))
}

function tellsBoth(one: Case): boolean {
  const [bookings] = JSON.parse(one.input) as [Booking[]]
  const wanted = requiredCapacity(bookings)
  return inclusiveOracle(bookings) !== wanted && inputOrderTies(bookings) !== wanted
}

function drawCases(
  prefix: string,
  counts: Record<Family, number>,
  random: Random,
  seen: Set<string>,
): Case[] {
  return families.flatMap((family) => {
    const cases: Case[] = []
    while (cases.length < counts[family]) {
      const bookings = drawBookings(family, random)
      const input = JSON.stringify([bookings])
      if (seen.has(input) && family !== 'empty') continue
      seen.add(input)
      const id = `${prefix}${family}-${String(cases.length + 1).padStart(2, '0')}`
      cases.push({ id, family, input, expected: String(requiredCapacity(bookings)) })
    }
    return cases
  })
}

import { describe, expect, it } from 'vitest'
import { acceptanceTable } from './acceptance.ts'
import { meanInterval, wilsonInterval } from './intervals.ts'
import { orderingDisagreement } from './ordering.ts'
import { pairedDifference } from './paired.ts'
import { logGamma, studentCdf, studentQuantile } from './student.ts'

describe('Student’s t', () => {
  // Published table values, and the two closed forms: one degree is Cauchy, two is algebraic.
  it.each([
    [0.975, 1, Math.tan(Math.PI * 0.475)],
    [0.975, 2, 0.95 * Math.sqrt(2 / (1 - 0.95 ** 2))],
    [0.975, 3, 3.182446305284263],
    [0.95, 10, 1.812461122811676],
    [0.995, 30, 2.749995653567241],
    [0.975, 1e6, 1.959966],
  ])('quantile %d with %d degrees', (p, degrees, expected) => {
    expect(studentQuantile(p, degrees)).toBeCloseTo(expected, 5)
    expect(studentQuantile(1 - p, degrees)).toBeCloseTo(-expected, 5)
    expect(studentCdf(studentQuantile(p, degrees), degrees)).toBeCloseTo(p, 11)
  })

  it('has no quantile outside its range', () => {
    expect([studentQuantile(0, 3), studentQuantile(1, 3), studentQuantile(0.5, 0)]).toEqual([NaN, NaN, NaN])
  })

  it('uses a log-gamma that is exact at factorials and at one half', () => {
    expect(logGamma(11)).toBeCloseTo(Math.log(3628800), 12)
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12)
  })
})

describe('intervals', () => {
  it('Wilson’s stays inside [0, 1] where the usual approximation claims certainty', () => {
    expect(wilsonInterval(0, 20)).toEqual({ low: 0, high: expect.closeTo(0.161, 3) })
    expect(wilsonInterval(20, 20)).toEqual({ low: expect.closeTo(0.839, 3), high: 1 })
    expect(wilsonInterval(0, 0)).toBeNull()
  })

  it('one value has no interval', () => {
    expect([meanInterval([3]), pairedDifference({ a: 1 }, { a: 2, b: 9 })]).toEqual([
      null,
      { perSeed: { a: -1 }, mean: -1, interval: null },
    ])
  })
})

describe('acceptance table', () => {
  it('keeps what is unknown out of every cell', () => {
    const judged = (accepted: boolean | null, right: boolean | null, program = 'p') => ({
      accepted,
      right,
      program,
    })
    const table = acceptanceTable([
      judged(true, true),
      judged(true, false, 'x'),
      judged(true, false, 'x'),
      judged(false, true),
      judged(false, false),
      judged(true, null),
      judged(null, false),
    ])
    expect(table).toEqual({
      acceptedPass: 1,
      acceptedFail: 2,
      rejectedPass: 1,
      rejectedFail: 1,
      unknown: 2,
      falseAcceptSources: 1,
    })
  })
})

describe('ordering disagreement', () => {
  it('equals counting every pair, and drops a pair in which anyone ties', () => {
    const audit = [5, 1, 3, 3, 2, 9, 9, 0]
    const weak = [4, 2, 2, 5, 1, 0, 7, 3]
    const repaired = [1, 2, 3, 4, 5, 6, 6, 8]
    let eligible = 0
    const discordant = { weak: 0, repaired: 0 }
    for (let i = 0; i < audit.length; i++) {
      for (let j = 0; j < i; j++) {
        const sign = (list: number[]) => Math.sign((list[i] ?? 0) - (list[j] ?? 0))
        if (sign(audit) * sign(weak) * sign(repaired) === 0) continue
        eligible += 1
        if (sign(weak) !== sign(audit)) discordant.weak += 1
        if (sign(repaired) !== sign(audit)) discordant.repaired += 1
      }
    }
    expect(orderingDisagreement(audit, { weak, repaired })).toEqual({ eligiblePairs: eligible, discordant })
    expect(eligible).toBeGreaterThan(10)
  })
})

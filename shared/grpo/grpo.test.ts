import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { groupAdvantages } from './advantage.ts'
import { composeReward } from './components.ts'
import { passAtK } from './pass-at-k.ts'
import { Random } from './random.ts'
import { entropy, logSoftmax } from './softmax.ts'
import { clippedSurrogate, k3 } from './surrogate.ts'

const twoOfEight = [1, 1, 0, 0, 0, 0, 0, 0]

describe('group advantage', () => {
  test('two passes in eight give +1.62 and −0.54, which the population deviation does not', () => {
    const { advantages } = groupAdvantages(twoOfEight)
    expect(advantages.map((value) => value?.toFixed(2))).toEqual(['1.62', '1.62', ...Array(6).fill('-0.54')])
    const population = Math.sqrt(twoOfEight.reduce((sum, r) => sum + (r - 0.25) ** 2, 0) / 8)
    expect((0.75 / (population + 1e-4)).toFixed(2)).toBe('1.73')
  })

  test('one null blocks the whole group; it is neither 0 nor left out of the mean', () => {
    expect(groupAdvantages([1, null, 0, null])).toEqual({
      state: 'blocked',
      advantages: [null, null, null, null],
      missing: 2,
    })
  })

  test('equal rewards are silent, also where their mean is off by a rounding', () => {
    const rewards = [0.1, 0.1, 0.1]
    expect(rewards.reduce((sum, r) => sum + r, 0) / 3).not.toBe(0.1)
    expect(groupAdvantages(rewards)).toEqual({ state: 'silent', advantages: [0, 0, 0], mean: 0.1, std: 0 })
  })

  test('refuses what is no reward', () => {
    expect(() => groupAdvantages([])).toThrow('at least one')
    expect(() => groupAdvantages([1, Number.NaN])).toThrow('not NaN')
  })

  test('sums to 0 and keeps the order of the rewards, whatever they are', () => {
    const rewards = fc.array(fc.integer({ min: 0, max: 57 }), { minLength: 2, maxLength: 16 })
    fc.assert(
      fc.property(rewards, (counts) => {
        const { advantages } = groupAdvantages(counts.map((count) => count / 57))
        const values = advantages.map((value) => value ?? Number.NaN)
        expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9)
        counts.forEach((a, i) => {
          counts.forEach((b, j) => {
            if (a < b) expect(values[i]).toBeLessThan(values[j] ?? 0)
          })
        })
      }),
    )
  })
})

describe('clipped surrogate and k3', () => {
  test('clips only the side that would be rewarded for going further', () => {
    const at = (ratio: number, advantage: number) => {
      const { value, slope, clipped } = clippedSurrogate(Math.log(ratio), 0, advantage, 0.2)
      return [value.toFixed(4), slope.toFixed(4), clipped]
    }
    expect([at(1, 1), at(1.5, 1), at(0.5, 1), at(1.5, -1), at(0.5, -1)]).toEqual([
      ['1.0000', '1.0000', false],
      ['1.2000', '0.0000', true],
      ['0.5000', '0.5000', false],
      ['-1.5000', '-1.5000', false],
      ['-0.8000', '0.0000', true],
    ])
  })

  test('the slope is the derivative of the value', () => {
    const step = 1e-6
    for (const [logProb, advantage] of [
      [-0.9, 1.3],
      [-1.1, -0.7],
      [-0.2, -2],
    ] as const) {
      const at = (x: number) => clippedSurrogate(x, -1, advantage, 0.2)
      const numeric = (at(logProb + step).value - at(logProb - step).value) / (2 * step)
      expect(at(logProb).slope).toBeCloseTo(numeric, 5)
    }
  })

  test('k3 averages to the exact divergence over the policy’s own draws, and is never negative', () => {
    const policy = logSoftmax([0.3, -0.2, 0.9])
    const reference = logSoftmax([0, 0, 0])
    const exact = policy.reduce(
      (sum, logProb, i) => sum + Math.exp(logProb) * (logProb - (reference[i] ?? 0)),
      0,
    )
    const estimates = policy.map((logProb, i) => k3(logProb, reference[i] ?? 0))
    const mean = policy.reduce((sum, logProb, i) => sum + Math.exp(logProb) * (estimates[i] ?? 0), 0)
    expect(mean).toBeCloseTo(exact, 12)
    expect(Math.min(...estimates)).toBeGreaterThanOrEqual(0)
  })
})

test('softmax survives large logits, and entropy is ln n for equal ones', () => {
  expect(logSoftmax([1000, 1000]).map(Math.exp)).toEqual([0.5, 0.5])
  expect(entropy(logSoftmax([4, 4, 4, 4]))).toBeCloseTo(Math.log(4), 12)
  expect(entropy(logSoftmax([0, -Infinity]))).toBe(0)
})

describe('pass@k', () => {
  test('is the share of k-subsets with a pass, counted out', () => {
    const draws = [true, true, false, false, false, false]
    const triples = draws.flatMap((a, i) =>
      draws.slice(i + 1).flatMap((b, j) => draws.slice(i + j + 2).map((c) => a || b || c)),
    )
    expect(passAtK(6, 2, 3)).toBeCloseTo(triples.filter(Boolean).length / triples.length, 12)
    expect(passAtK(6, 2, 3)).not.toBeCloseTo(1 - (1 - 2 / 6) ** 3, 2)
  })

  test('its edges: no pass, all pass, fewer draws than k, thousands of draws', () => {
    expect([passAtK(10, 0, 3), passAtK(10, 10, 3), passAtK(2, 1, 3), passAtK(5, 3, 3)]).toEqual([
      0,
      1,
      null,
      1,
    ])
    expect(passAtK(20_000, 200, 100)).toBeCloseTo(0.6348, 3)
    expect(() => passAtK(3, 4, 1)).toThrow('no pass@1 from 4 passes in 3 draws')
  })

  test('is unbiased: the mean over many samples meets the true chance', () => {
    const random = Random.of(11)
    const p = 0.3
    let sum = 0
    const samples = 4000
    for (let i = 0; i < samples; i++) {
      const c = Array.from({ length: 8 }, () => random.float() < p).filter(Boolean).length
      sum += passAtK(8, c, 4) ?? 0
    }
    expect(Math.abs(sum / samples - (1 - (1 - p) ** 4))).toBeLessThan(0.015)
  })
})

describe('reward components', () => {
  test('are weighted contributions that add up', () => {
    expect(composeReward(0.5, { format: { value: 1, weight: 0.05 } })).toEqual({
      components: { tests: 0.5, format: 0.05 },
      total: 0.55,
    })
  })

  test('are all null with a silent verifier: format alone never trains', () => {
    expect(composeReward(null, { format: { value: 1, weight: 0.05 } })).toEqual({
      components: { tests: null, format: null },
      total: null,
    })
  })
})

import { expect, test } from 'vitest'
import { Random } from '#shared/grpo/random.ts'
import { booking } from '../program/booking.ts'
import { allLogProbs, at, drawSketch, initialParameters, mapHoles, type Parameters } from './policy.ts'
import { grpoUpdate, initialOptimizer, lossAndGradient, type Sample } from './update.ts'

const untrained = () => initialParameters(booking.holes)

/** Parameters some way off the policy that drew the samples, so that ratios leave 1 and some are clipped. */
function moved(parameters: Parameters, by: number): Parameters {
  const random = Random.of('moved')
  return mapHoles(parameters, (row) => row.map((logit) => logit + by * (random.float() - 0.5)))
}

function samples(count: number): Sample[] {
  const random = Random.of('samples')
  const logProbs = allLogProbs(untrained())
  return Array.from({ length: count }, (_, i) => ({
    group: Math.floor(i / 4),
    decisions: drawSketch(booking, logProbs, random).decisions,
    advantage: (i % 4) - 1.5,
  }))
}

test('the gradient is that of the loss, clipped parts and divergence included', () => {
  const initial = untrained()
  const parameters = moved(initial, 0.9)
  const batch = samples(64)
  const { gradient } = lossAndGradient(parameters, initial, batch, 0.2)
  const step = 1e-6
  for (const [hole, row] of Object.entries(parameters))
    row.forEach((_, j) => {
      const loss = (by: number) => {
        const shifted = structuredClone(parameters)
        at(shifted, hole)[j] = (row[j] ?? 0) + by
        return lossAndGradient(shifted, initial, batch, 0.2).loss
      }
      expect(at(gradient, hole)[j]).toBeCloseTo((loss(step) - loss(-step)) / (2 * step), 5)
    })
})

test('an update makes what was better likelier, tracks what it did, and leaves its input alone', () => {
  const before = { parameters: untrained(), optimizer: initialOptimizer(untrained()) }
  const kept = structuredClone(before)
  const batch = samples(32)
  const result = grpoUpdate(before, before.parameters, batch, { learningRate: 1.5, clip: 0.2 })
  expect(before).toEqual(kept)
  const gain = (parameters: Parameters) => {
    const logProbs = allLogProbs(parameters)
    return batch.reduce(
      (sum, { decisions, advantage }) =>
        sum +
        advantage * decisions.reduce((part, { hole, option }) => part + (at(logProbs, hole)[option] ?? 0), 0),
      0,
    )
  }
  expect(gain(result.parameters)).toBeGreaterThan(gain(before.parameters))
  expect(result.kl).toBeCloseTo(0, 12)
  expect(result.gradNorm).toBeGreaterThan(0)
  expect(result.parameterDelta).toBeGreaterThan(0)
  const next = grpoUpdate(result, before.parameters, batch, { learningRate: 1.5, clip: 0.2 })
  expect(next.kl).toBeGreaterThan(0)
  expect(next.entropy).toBeLessThan(result.entropy)
})

test('a step of silent groups only moves nothing at the start, where the divergence is 0', () => {
  const before = { parameters: untrained(), optimizer: initialOptimizer(untrained()) }
  const silent = samples(16).map((sample) => ({ ...sample, advantage: 0 }))
  const { gradNorm, parameterDelta } = grpoUpdate(before, before.parameters, silent, {
    learningRate: 1.5,
    clip: 0.2,
  })
  expect([gradNorm, parameterDelta]).toEqual([0, 0])
})

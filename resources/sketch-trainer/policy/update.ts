import { entropy } from '#shared/grpo/softmax.ts'
import { clippedSurrogate, k3 } from '#shared/grpo/surrogate.ts'
import { allLogProbs, at, type Decision, mapHoles, type Parameters } from './policy.ts'

/** SGD with momentum; the velocity is the optimizer's whole state. */
export type OptimizerState = { velocity: Parameters }

export type Sample = { group: number; decisions: readonly Decision[]; advantage: number }

export type UpdateConfig = { learningRate: number; clip: number }

export type UpdateResult = {
  parameters: Parameters
  optimizer: OptimizerState
  /** Means over the inner updates of this step. */
  loss: number
  gradNorm: number
  /** k3 estimate against the initial policy, summed over a completion's decisions, mean over completions; before the update. */
  kl: number
  /** Mean over the decisions taken, in nats; before the update. */
  entropy: number
  /** Euclidean length of the whole step's change. */
  parameterDelta: number
}

/**
 * Weight of the divergence from the initial policy, as in DeepSeekMath's GRPO. Holes to which the rewards are blind would otherwise drift
 * with every lucky neighbour: at 0 one mechanism dies out in some seeds, at 0.1 learning is visibly slower.
 */
const klWeight = 0.04
/** Passes over the step's rollouts. In the second the old-policy ratio leaves 1 and the clip begins to hold. */
const epochs = 2
/** Parts of a pass, by group; each is one optimizer step. */
const minibatches = 2
/** Light: enough to smooth four optimizer steps, too little to carry one step's luck far into the next. */
const momentum = 0

export const initialOptimizer = (parameters: Parameters): OptimizerState => ({ velocity: zeros(parameters) })

/**
 * One GRPO update: `epochs` passes of `minibatches` clipped-surrogate steps over the rollouts of one step. The loss is the mean over
 * rollouts of the sum over decisions (a constant normaliser: no bias by length, Liu et al. 2025, "Understanding R1-Zero-Like Training").
 * Pure and deterministic: groups keep their order, so no generator is needed.
 */
export function grpoUpdate(
  before: { parameters: Parameters; optimizer: OptimizerState },
  initial: Parameters,
  samples: readonly Sample[],
  config: UpdateConfig,
): UpdateResult {
  let { parameters } = before
  let { velocity } = before.optimizer
  const losses: number[] = []
  const norms: number[] = []
  for (let inner = 0; inner < epochs * minibatches; inner++) {
    const batch = samples.filter((sample) => sample.group % minibatches === inner % minibatches)
    if (batch.length === 0) continue
    const { loss, gradient } = lossAndGradient(parameters, initial, batch, config.clip)
    losses.push(loss)
    norms.push(length(gradient))
    velocity = combine(velocity, momentum, gradient, 1)
    parameters = combine(parameters, 1, velocity, -config.learningRate)
  }
  return {
    parameters,
    optimizer: { velocity },
    loss: mean(losses),
    gradNorm: mean(norms),
    ...divergence(before.parameters, initial, samples),
    parameterDelta: length(combine(parameters, 1, before.parameters, -1)),
  }
}

/** The loss (to be minimised) of a batch and its gradient by the logits. */
export function lossAndGradient(
  parameters: Parameters,
  initial: Parameters,
  batch: readonly Sample[],
  clip: number,
): { loss: number; gradient: Parameters } {
  const logProbs = allLogProbs(parameters)
  const reference = allLogProbs(initial)
  const gradient = zeros(parameters)
  let loss = 0
  for (const { decisions, advantage } of batch) {
    for (const { hole, option, logProb } of decisions) {
      const now = at(logProbs, hole)
      const here = now[option] ?? Number.NaN
      const before = at(reference, hole)[option] ?? Number.NaN
      const part = clippedSurrogate(here, logProb, advantage, clip)
      loss -= (part.value - klWeight * k3(here, before)) / batch.length
      const slope = part.slope - klWeight * (1 - Math.exp(before - here))
      const row = at(gradient, hole)
      // ∂ ln p(option) ÷ ∂ logit j = [j = option] − p(j).
      now.forEach((other, j) => {
        row[j] = (row[j] ?? 0) - (slope / batch.length) * ((j === option ? 1 : 0) - Math.exp(other))
      })
    }
  }
  return { loss, gradient }
}

function divergence(
  parameters: Parameters,
  initial: Parameters,
  samples: readonly Sample[],
): { kl: number; entropy: number } {
  const now = allLogProbs(parameters)
  const reference = allLogProbs(initial)
  const taken = samples.flatMap((sample) => sample.decisions)
  const estimates = taken.map(({ hole, option }) =>
    k3(at(now, hole)[option] ?? 0, at(reference, hole)[option] ?? 0),
  )
  const byHole = mapHoles(now, (row) => entropy(row))
  return {
    kl: samples.length === 0 ? 0 : estimates.reduce((sum, value) => sum + value, 0) / samples.length,
    entropy: mean(taken.map(({ hole }) => byHole[hole] ?? 0)),
  }
}

const zeros = (like: Parameters): Parameters => mapHoles(like, (row) => row.map(() => 0))

/** a·x + b·y, hole by hole. */
const combine = (x: Parameters, a: number, y: Parameters, b: number): Parameters =>
  mapHoles(x, (row, hole) => row.map((value, j) => a * value + b * (y[hole]?.[j] ?? 0)))

const length = (x: Parameters): number =>
  Math.sqrt(Object.values(x).reduce((sum, row) => sum + row.reduce((part, v) => part + v * v, 0), 0))

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

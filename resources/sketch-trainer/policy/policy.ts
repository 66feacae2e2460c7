import type { Random } from '#shared/grpo/random.ts'
import { logSoftmax } from '#shared/grpo/softmax.ts'
import { type Choices, type HoleName, holeNames, holes, nextHole, optionsOf } from './holes.ts'

/** Logits by hole, in the order of its options. Plain JSON, as it stands in a checkpoint. */
export type Parameters = Record<HoleName, number[]>

/** One choice of a draw: what a token is to a language model. `logProb` is under the policy that drew it. */
export type Decision = { hole: HoleName; option: number; logProb: number }

export type Draw = { decisions: Decision[]; choices: Choices }

export const mapHoles = <T>(value: (hole: HoleName) => T): Record<HoleName, T> =>
  Object.fromEntries(holeNames.map((hole) => [hole, value(hole)])) as Record<HoleName, T>

/** The untrained policy: logits are the logarithms of the sketch's chances. */
export const initialParameters = (): Parameters =>
  mapHoles((hole) => Object.values(holes[hole]).map((chance) => Math.log(chance)))

export const allLogProbs = (parameters: Parameters): Record<HoleName, number[]> =>
  mapHoles((hole) => logSoftmax(parameters[hole]))

/** Fills the sketch hole by hole, each from its softmax. */
export function drawSketch(logProbs: Record<HoleName, number[]>, random: Random): Draw {
  const decisions: Decision[] = []
  let choices: Choices = {}
  for (let hole = nextHole(choices); hole !== null; hole = nextHole(choices)) {
    const option = random.categorical(logProbs[hole].map(Math.exp))
    decisions.push({ hole, option, logProb: logProbs[hole][option] ?? Number.NaN })
    choices = { ...choices, [hole]: optionsOf(hole)[option] }
  }
  return { decisions, choices }
}

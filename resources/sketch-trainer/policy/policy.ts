import type { Random } from '#shared/grpo/random.ts'
import { logSoftmax } from '#shared/grpo/softmax.ts'
import type { Picks, Sketch, Vocabulary, Written } from './sketch.ts'

/** Logits by hole, in the order of its options. Plain JSON, as it stands in a checkpoint. */
export type Parameters = Record<string, number[]>

/** One choice of a draw: what a token is to a language model. `logProb` is under the policy that drew it. */
export type Decision = { hole: string; option: number; logProb: number }

export type Draw = { decisions: Decision[]; picks: Picks }

export const mapHoles = <V, T>(
  by: Readonly<Record<string, V>>,
  value: (of: V, hole: string) => T,
): Record<string, T> =>
  Object.fromEntries(Object.entries(by).map(([hole, of]): [string, T] => [hole, value(of, hole)]))

/** The untrained policy: logits are the logarithms of the sketches' chances. */
export const initialParameters = (vocabulary: Vocabulary): Parameters =>
  mapHoles(vocabulary, (options) => Object.values(options).map((chance) => Math.log(chance)))

export const allLogProbs = (parameters: Parameters): Parameters => mapHoles(parameters, logSoftmax)

/** The logits or log-probabilities of a hole. @throws RangeError for one that the policy does not have. */
export function at(parameters: Parameters, hole: string): number[] {
  const row = parameters[hole]
  if (row === undefined) throw new RangeError(`the policy has no hole ${hole}`)
  return row
}

/** Fills the sketch hole by hole, each from its softmax. */
export function drawSketch(sketch: Sketch, logProbs: Parameters, random: Random): Draw {
  const decisions: Decision[] = []
  let picks: Picks = {}
  for (let hole = sketch.next(picks); hole !== null; hole = sketch.next(picks)) {
    const chances = at(logProbs, hole)
    const option = random.categorical(chances.map(Math.exp))
    decisions.push({ hole, option, logProb: chances[option] ?? Number.NaN })
    picks = { ...picks, [hole]: Object.keys(sketch.holes[hole] ?? {})[option] ?? '' }
  }
  return { decisions, picks }
}

/** One completion of a sketch: its choices, then what varies without meaning, from the same generator. */
export function writeSketch(sketch: Sketch, logProbs: Parameters, random: Random): Draw & Written {
  const draw = drawSketch(sketch, logProbs, random)
  return { ...draw, ...sketch.render(draw.picks, random) }
}

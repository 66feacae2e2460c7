/**
 * The booking sketch's vocabulary: a program sketch with holes, each with its options and the chance that the untrained policy gives them. Untrained, it
 * is a weak writer: about one completion in ten passes a plausible suite, and most that do treat a booking's end wrongly, since nothing
 * in ordinary cases tells the ways of treating it apart.
 */
export const holes = {
  /** What the completion is at all. */
  reply: { function: 0.62, constant: 0.1, broken: 0.08, endless: 0.06, cheat: 0.06, prose: 0.08 },
  /** How the code is fenced. The first four hold one usable block; `twice`, `other`, `none` and `unclosed` hold none. */
  fence: {
    python: 0.42,
    py: 0.1,
    bare: 0.1,
    tildes: 0.06,
    twice: 0.12,
    other: 0.06,
    none: 0.07,
    unclosed: 0.07,
  },
  method: { heap: 0.38, sweep: 0.4, points: 0.22 },
  /** heap and points: whether a booking that ends at a moment still holds its place at that moment. */
  expiry: { frees: 0.22, holds: 0.78 },
  /** sweep: the order of events at one moment. */
  ties: { departures: 0.22, arrivals: 0.3, input: 0.48 },
  /** heap: the order in which bookings are taken. */
  order: { start: 0.5, end: 0.22, input: 0.28 },
  /** What is kept over the moments. */
  accumulator: { peak: 0.56, last: 0.2, total: 0.24 },
  /** The answer for no bookings. */
  base: { zero: 0.6, one: 0.24, nothing: 0.16 },
  /** Whether equal bookings are counted separately. */
  repeats: { keep: 0.72, drop: 0.28 },
} as const

type HoleName = keyof typeof holes
export type Option<H extends HoleName> = keyof (typeof holes)[H] & string

export const optionsOf = <H extends HoleName>(hole: H): Option<H>[] => Object.keys(holes[hole]) as Option<H>[]

/** One filled sketch: only the holes that its own earlier choices opened are there. */
export type Choices = { readonly [H in HoleName]?: Option<H> }

/** The hole to fill next, or null where the sketch is complete. The order is fixed, so that a seed always gives the same draws. */
export function nextHole(choices: Choices): HoleName | null {
  return opened(choices).find((hole) => choices[hole] === undefined) ?? null
}

function opened({ reply, method }: Choices): HoleName[] {
  if (reply === undefined) return ['reply']
  if (reply === 'prose') return ['reply']
  if (reply !== 'function') return ['reply', 'fence']
  const shared: HoleName[] = ['reply', 'fence', 'method']
  if (method === undefined) return shared
  const own: Record<Option<'method'>, HoleName[]> = {
    heap: ['order', 'expiry'],
    sweep: ['ties'],
    points: ['expiry'],
  }
  return [...shared, ...own[method], 'accumulator', 'base', 'repeats']
}

import type { Choices } from '../policy/holes.ts'

type Booking = readonly [number, number]

/** What the Python function of a filled sketch returns, computed here: the fast scorer's stand-in for a sandbox. */
export function simulate(choices: Choices, input: readonly Booking[]): number | null {
  if (input.length === 0) return choices.base === 'nothing' ? null : choices.base === 'one' ? 1 : 0
  const bookings = choices.repeats === 'drop' ? distinct(input) : [...input]
  const counts = choices.method === 'sweep' ? sweep(choices, bookings) : scan(choices, bookings)
  switch (choices.accumulator) {
    case 'last':
      return counts.at(-1) ?? 0
    case 'total':
      return counts.reduce((sum, count) => sum + count, 0)
    default:
      return Math.max(0, ...counts)
  }
}

function distinct(bookings: readonly Booking[]): Booking[] {
  return [...new Map(bookings.map((booking) => [booking.join(), booking])).values()]
}

function sweep({ ties }: Choices, bookings: Booking[]): number[] {
  const events = bookings.flatMap(([start, end]): Booking[] => [
    [start, 1],
    [end, -1],
  ])
  const tie = { departures: 1, arrivals: -1, input: 0 }[ties ?? 'departures']
  events.sort((a, b) => a[0] - b[0] || tie * (a[1] - b[1]))
  let active = 0
  return events.map(([, change]) => {
    active += change
    return active
  })
}

function scan(choices: Choices, bookings: Booking[]): number[] {
  const holds = choices.expiry === 'holds'
  if (choices.method === 'points')
    return bookings.map(([at]) => bookings.filter(([s, e]) => s <= at && (holds ? at <= e : at < e)).length)
  const taken = [...bookings]
  if (choices.order === 'start') taken.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  if (choices.order === 'end') taken.sort((a, b) => a[1] - b[1])
  let ends: number[] = []
  return taken.map(([start, end]) => {
    // A heap pops from its smallest end, so what is left are the ends that are large enough.
    ends = [...ends.filter((held) => (holds ? held >= start : held > start)), end]
    return ends.length
  })
}

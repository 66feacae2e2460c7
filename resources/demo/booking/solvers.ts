/** `[start, end)` with start < end, in whole time units. */
export type Booking = readonly [start: number, end: number]

/** The right answer: the most bookings active at one time. Reached at some start, so only starts are tried. */
export function requiredCapacity(bookings: readonly Booking[]): number {
  return largest(bookings, (start) => bookings.filter(([s, e]) => s <= start && start < e).length)
}

/** The inclusive oracle: as if a booking still held its place at the very moment it ends. Wrong wherever an end meets a start at the peak. */
export function inclusiveOracle(bookings: readonly Booking[]): number {
  return largest(bookings, (start) => bookings.filter(([s, e]) => s <= start && start <= e).length)
}

/** A sweep over events sorted by time alone: at one time, arrivals and departures come in the order in which the input had them. */
export function inputOrderTies(bookings: readonly Booking[]): number {
  const events = bookings.flatMap(([start, end]) => [
    { at: start, change: 1 },
    { at: end, change: -1 },
  ])
  events.sort((a, b) => a.at - b.at)
  let active = 0
  let peak = 0
  for (const { change } of events) {
    active += change
    peak = Math.max(peak, active)
  }
  return peak
}

/** Whether any booking starts exactly where some booking ends: what the weak suite has none of. */
export function touches(bookings: readonly Booking[]): boolean {
  const ends = new Set(bookings.map(([, end]) => end))
  return bookings.some(([start]) => ends.has(start))
}

const largest = (bookings: readonly Booking[], at: (start: number) => number): number =>
  Math.max(0, ...bookings.map(([start]) => at(start)))

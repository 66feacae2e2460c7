import type { Random } from '#shared/grpo/random.ts'
import { type Booking, touches } from './solvers.ts'

export const families = ['empty', 'ordinary', 'duplicate', 'boundary'] as const
export type Family = (typeof families)[number]

/** Draws one list of bookings of a family, shuffled: no suite may depend on sorted input. */
export function drawBookings(family: Family, random: Random): Booking[] {
  switch (family) {
    case 'empty':
      return []
    case 'ordinary':
      return untilApart(() => scattered(random, random.integer(1, 12)), random)
    case 'duplicate':
      return untilApart(() => repeated(random), random)
    case 'boundary':
      return random.shuffle(random.pick(boundaryKinds)(random))
  }
}

/** Starts and ends are all apart, so that only what the family is about can tell programs apart. */
function untilApart(draw: () => Booking[], random: Random): Booking[] {
  let drawn = draw()
  while (touches(drawn)) drawn = draw()
  return random.shuffle(drawn)
}

function scattered(random: Random, count: number, from = random.integer(0, 8000)): Booking[] {
  const span = random.integer(30, 60) * Math.ceil(Math.sqrt(count))
  return Array.from({ length: count }, () => {
    const start = from + random.integer(0, span)
    return [start, start + random.integer(3, 60)] as const
  })
}

function repeated(random: Random): Booking[] {
  const bookings = scattered(random, random.integer(1, 5))
  const copies = Array.from({ length: random.integer(1, 4) }, () => random.pick(bookings))
  return [...bookings, ...copies]
}

/** Back-to-back bookings: one is enough at any time. The smallest has two. */
function chain(random: Random): Booking[] {
  const bookings: Booking[] = []
  let at = random.integer(0, 8000)
  for (let left = random.integer(2, 4); left > 0; left--) {
    const end = at + random.integer(4, 40)
    bookings.push([at, end])
    at = end
  }
  return bookings
}

/** A crowd all active at one moment, and successors that start as members of the crowd leave: places are handed over, none is added. */
function handover(random: Random): Booking[] {
  const moment = random.integer(100, 8000)
  const leaving = moment + random.integer(2, 20)
  const crowd = Array.from({ length: random.integer(1, 4) }, (_, member) => {
    const end = member === 0 ? leaving : leaving + random.integer(0, 1) * random.integer(1, 30)
    return [moment - random.integer(0, 40), end] as const
  })
  const leavers = crowd.filter(([, end]) => end === leaving).length
  const successors = Array.from(
    { length: random.integer(1, leavers) },
    () => [leaving, leaving + random.integer(3, 40)] as const,
  )
  return [...crowd, ...successors]
}

/** A touching pair off to the side of a larger crowd: a boundary that no answer depends on, so that touching alone gives nothing away. */
function quietTouch(random: Random): Booking[] {
  const moment = random.integer(200, 8000)
  const crowd = Array.from(
    { length: random.integer(3, 5) },
    () => [moment - random.integer(0, 20), moment + random.integer(5, 30)] as const,
  )
  const meet = moment + random.integer(60, 120)
  return [...crowd, [meet - random.integer(3, 20), meet], [meet, meet + random.integer(3, 40)]]
}

/** By weight. About two in seven are quiet, as about a third of the study's boundary cases were answered rightly by either mechanism. */
const boundaryKinds = [chain, chain, handover, handover, handover, quietTouch, quietTouch] as const

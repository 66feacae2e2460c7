import type { Random } from '#shared/grpo/random.ts'

/** Names of the variables in one program. */
export type Names = Readonly<{
  start: string
  end: string
  peak: string
  active: string
  ends: string
  events: string
  moment: string
}>

/** What varies without meaning: names, a docstring, the words around the code. Drawn evenly and never learned. */
export type Style = { names: Names; doc: string | null; variant: number; opening: string; closing: string }

export const namePool: readonly Names[] = [
  {
    start: 'start',
    end: 'end',
    peak: 'peak',
    active: 'active',
    ends: 'ends',
    events: 'events',
    moment: 'moment',
  },
  { start: 's', end: 'e', peak: 'best', active: 'current', ends: 'heap', events: 'timeline', moment: 't' },
  {
    start: 'begin',
    end: 'finish',
    peak: 'most',
    active: 'in_use',
    ends: 'releases',
    events: 'changes',
    moment: 'point',
  },
]

export const docPool: readonly (string | null)[] = [null, 'Largest number of bookings active at one time.']

const openings = [
  'Here is a function that computes the required capacity.',
  'The idea is to look at the moments where the number of active bookings can grow.',
  'We can solve this by walking through the bookings and keeping count.',
  'A short solution:',
] as const
const closings = [
  '',
  'It handles bookings in any order.',
  'The running time is dominated by the ordering step.',
] as const

/** How many bodies a reply other than a function can be; few, as each is executed once. */
export const variants = 3

export function drawStyle(random: Random): Style {
  return {
    names: random.pick(namePool),
    doc: random.pick(docPool),
    variant: random.integer(0, variants - 1),
    opening: random.pick(openings),
    closing: random.pick(closings),
  }
}

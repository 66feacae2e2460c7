import type { Choices, Option } from '../policy/holes.ts'
import type { Names, Style } from './style.ts'

/** The Python source of a filled sketch: one of three methods, each wrong exactly where a hole was filled wrongly. */
export function functionBody(choices: Choices, style: Pick<Style, 'names' | 'doc'>): string {
  const { names } = style
  const lines = [
    ...(style.doc === null ? [] : [`"""${style.doc}"""`]),
    'if not bookings:',
    `    return ${emptyAnswer[choices.base ?? 'zero']}`,
    ...(choices.repeats === 'drop' ? ['bookings = list(dict.fromkeys(map(tuple, bookings)))'] : []),
    ...methodLines(choices, names),
    `return ${names.peak}`,
  ]
  const imports = choices.method === 'heap' ? 'import heapq\n\n\n' : ''
  return `${imports}def required_capacity(bookings):\n${lines.map((line) => `    ${line}\n`).join('')}`
}

const emptyAnswer: Record<Option<'base'>, string> = { zero: '0', one: '1', nothing: 'None' }

function methodLines(choices: Choices, names: Names): string[] {
  switch (choices.method) {
    case 'sweep':
      return sweep(choices, names)
    case 'points':
      return points(choices, names)
    default:
      return heap(choices, names)
  }
}

function heap(choices: Choices, { start, end, ends, peak }: Names): string[] {
  const taken: Record<Option<'order'>, string> = {
    start: 'sorted(bookings)',
    end: 'sorted(bookings, key=lambda booking: booking[1])',
    input: 'bookings',
  }
  return [
    `${ends} = []`,
    `${peak} = 0`,
    `for ${start}, ${end} in ${taken[choices.order ?? 'start']}:`,
    `    while ${ends} and ${ends}[0] ${choices.expiry === 'holds' ? '<' : '<='} ${start}:`,
    `        heapq.heappop(${ends})`,
    `    heapq.heappush(${ends}, ${end})`,
    `    ${keep(choices, peak, `len(${ends})`)}`,
  ]
}

function sweep(choices: Choices, { start, end, events, active, peak }: Names): string[] {
  const key: Record<Option<'ties'>, string> = {
    departures: 'key=lambda event: (event[0], event[1])',
    arrivals: 'key=lambda event: (event[0], -event[1])',
    input: 'key=lambda event: event[0]',
  }
  return [
    `${events} = []`,
    `for ${start}, ${end} in bookings:`,
    `    ${events}.append((${start}, 1))`,
    `    ${events}.append((${end}, -1))`,
    `${events}.sort(${key[choices.ties ?? 'departures']})`,
    `${active} = 0`,
    `${peak} = 0`,
    `for _, change in ${events}:`,
    `    ${active} += change`,
    `    ${keep(choices, peak, active)}`,
  ]
}

function points(choices: Choices, { start, end, moment, active, peak }: Names): string[] {
  const held = `${start} <= ${moment} ${choices.expiry === 'holds' ? '<=' : '<'} ${end}`
  return [
    `${peak} = 0`,
    `for ${moment}, _ in bookings:`,
    `    ${active} = sum(1 for ${start}, ${end} in bookings if ${held})`,
    `    ${keep(choices, peak, active)}`,
  ]
}

function keep(choices: Choices, peak: string, value: string): string {
  const kept: Record<Option<'accumulator'>, string> = {
    peak: `${peak} = max(${peak}, ${value})`,
    last: `${peak} = ${value}`,
    total: `${peak} += ${value}`,
  }
  return kept[choices.accumulator ?? 'peak']
}

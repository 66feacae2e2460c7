import { type Interval, wilsonInterval } from './intervals.ts'

/** One verifier's word on a body beside the audit's. `null` is not known, which is neither acceptance nor rejection. */
export type Judged = { accepted: boolean | null; right: boolean | null; program: string | null }

export type AcceptanceTable = {
  acceptedPass: number
  acceptedFail: number
  rejectedPass: number
  rejectedFail: number
  /** Bodies of which the verifier or the audit does not know; they are in no other cell. */
  unknown: number
  /** Distinct programs among `acceptedFail`. */
  falseAcceptSources: number
}

/** Counts each body once in exactly one cell: the cells and `unknown` add up to the number of bodies. */
export function acceptanceTable(bodies: Iterable<Judged>): AcceptanceTable {
  const table = { acceptedPass: 0, acceptedFail: 0, rejectedPass: 0, rejectedFail: 0, unknown: 0 }
  const wrong = new Set<string>()
  for (const { accepted, right, program } of bodies) {
    if (accepted === null || right === null) table.unknown += 1
    else if (accepted && right) table.acceptedPass += 1
    else if (accepted) {
      table.acceptedFail += 1
      if (program !== null) wrong.add(program)
    } else if (right) table.rejectedPass += 1
    else table.rejectedFail += 1
  }
  return { ...table, falseAcceptSources: wrong.size }
}

/** A share with what it is a share of, and its 95 % Wilson interval. */
export type Rate = { of: number; count: number; share: number | null; interval: Interval | null }

export const rate = (count: number, of: number): Rate => ({
  of,
  count,
  share: of === 0 ? null : count / of,
  interval: wilsonInterval(count, of),
})

/** Precision: of the accepted whose truth is known, how many are right. */
export const precision = (table: AcceptanceTable): Rate =>
  rate(table.acceptedPass, table.acceptedPass + table.acceptedFail)

/** False-accept rate: of the wrong bodies, how many were accepted. */
export const falseAcceptRate = (table: AcceptanceTable): Rate =>
  rate(table.acceptedFail, table.acceptedFail + table.rejectedFail)

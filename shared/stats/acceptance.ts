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

/** What the audit holds of a body. `unresolved`: asked, and it could not say; `unaudited`: not asked, or not in the sample. */
export type Truth = 'right' | 'wrong' | 'unresolved' | 'unaudited'
/** What a suite says of a body; `silent` where its last word is no grade. */
export type Said = 'accepted' | 'rejected' | 'silent'
/** Weights (draws, or programs) by what was said and what is true. */
export type Cells = Record<Said, Record<Truth, number>>

const noTruth = () => ({ right: 0, wrong: 0, unresolved: 0, unaudited: 0 })
export const noCells = (): Cells => ({ accepted: noTruth(), rejected: noTruth(), silent: noTruth() })

/**
 * A share of which not everything need be known. `share` is null where what is known is no fair sample of the whole; `bounds` are what it
 * would be if all that is unknown fell one way or the other, null where nothing is unknown. The 95 % interval reaches from the lower bound's
 * to the upper bound's.
 */
export type BoundedRate = {
  count: number
  of: number
  share: number | null
  bounds: Interval | null
  interval: Interval | null
}

/**
 * Of the accepted bodies, how many are right. Those that were not audited count on neither side: they are a sample's remainder.
 * @param effective how many independent observations the accepted and audited ones are worth, where that is fewer than `of`: in a sample of
 * programs, the draws of one program come or stay away together (`effectiveSize`).
 */
export function boundedPrecision({ accepted, silent }: Cells, effective: number | null = null): BoundedRate {
  const known = accepted.right + accepted.wrong
  return bounded({
    count: accepted.right,
    of: known,
    fair: true,
    low: [accepted.right, known + accepted.unresolved + silent.wrong + silent.unresolved],
    high: [
      accepted.right + accepted.unresolved + silent.right + silent.unresolved,
      known + accepted.unresolved + silent.right + silent.unresolved,
    ],
    worth: known === 0 || effective === null ? 1 : Math.min(1, effective / known),
  })
}

/** Of the wrong bodies, how many were accepted. Which bodies are audited depends on what was said of them, so those that are not are unknown. */
export function boundedFalseAcceptRate({ accepted, rejected, silent }: Cells): BoundedRate {
  const known = accepted.wrong + rejected.wrong
  const unsaid = silent.wrong + silent.unresolved + silent.unaudited
  return bounded({
    count: accepted.wrong,
    of: known,
    fair: accepted.unaudited + rejected.unaudited + silent.unaudited === 0,
    low: [accepted.wrong, known + rejected.unresolved + rejected.unaudited + unsaid],
    high: [
      accepted.wrong + accepted.unresolved + accepted.unaudited + unsaid,
      known + accepted.unresolved + accepted.unaudited + unsaid,
    ],
    worth: 1,
  })
}

/** Kish's effective sample size of weighted observations: (Σw)² ÷ Σw². */
export const effectiveSize = (sum: number, squares: number): number =>
  squares === 0 ? 0 : (sum * sum) / squares

type Bounded = {
  count: number
  of: number
  fair: boolean
  low: [count: number, of: number]
  high: [count: number, of: number]
  worth: number
}

function bounded({ count, of, fair, low, high, worth }: Bounded): BoundedRate {
  const certain = low[1] === of && high[1] === of && high[0] === count
  const at = ([part, whole]: [number, number]) => (whole === 0 ? null : part / whole)
  const edges = { low: at(low), high: at(high) }
  const lower = wilsonInterval(low[0] * worth, low[1] * worth)
  const upper = wilsonInterval(high[0] * worth, high[1] * worth)
  return {
    count,
    of,
    share: of === 0 || !fair ? null : count / of,
    bounds:
      certain || (edges.low === null && edges.high === null)
        ? null
        : { low: edges.low ?? 0, high: edges.high ?? 1 },
    interval: lower || upper ? { low: lower?.low ?? 0, high: upper?.high ?? 1 } : null,
  }
}

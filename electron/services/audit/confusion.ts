import { inSample } from '#shared/audit/sample.ts'
import { isGraded, type Status } from '#shared/domain/grade.ts'
import type { ConfusionRow, SuiteTable } from '#shared/ipc/contract.ts'
import {
  boundedFalseAcceptRate,
  boundedPrecision,
  type Cells,
  effectiveSize,
  noCells,
  type Said,
  type Truth,
} from '#shared/stats/acceptance.ts'
import type { BodyRow, Regrade } from '../store/store.ts'

export type ConfusionInput = {
  /** The run's own suite. */
  suite: { name: string; sha256: string }
  bodies: readonly BodyRow[]
  /** The share of accepted bodies that was to be audited: what was audited beside the sample is left out, as it is no fair draw. */
  share: number
  regrades: readonly Regrade[]
}

/** Every suite that graded the run's bodies against the audit, by draws and by distinct programs: the run's own first. */
export function confusionOf({ suite, bodies, share, regrades }: ConfusionInput): SuiteTable[] {
  const truth = (body: BodyRow) => truthOf(body, share)
  const own: SuiteTable = { suite, origin: 'training', rows: rowsOf(bodies, saidOf, truth, share) }
  const others = [...groupBySuite(regrades)].map(([, list]): SuiteTable => {
    const words = new Map(list.map((one) => [`${one.task}/${one.bodySha256}`, saidBy(one.status)]))
    const known = bodies.filter((body) => words.has(keyOf(body)))
    const [first] = list
    return {
      suite: first?.suite ?? suite,
      origin: first?.origin ?? 'other',
      rows: rowsOf(known, (body) => words.get(keyOf(body)) ?? 'silent', truth, share),
    }
  })
  return [own, ...others]
}

const keyOf = ({ task, bodySha256 }: BodyRow) => `${task}/${bodySha256}`

function groupBySuite(regrades: readonly Regrade[]): Map<string, Regrade[]> {
  const suites = new Map<string, Regrade[]>()
  for (const one of regrades) {
    const known = suites.get(one.suite.sha256)
    if (known) known.push(one)
    else suites.set(one.suite.sha256, [one])
  }
  return suites
}

/** Whether the audit holds the body right; null where it has not said, or only silence. */
export function isRight(body: BodyRow): boolean | null {
  if (!body.audit || !isGraded(body.audit.status)) return null
  return body.audit.status === 'passed'
}

/** What the run's verifier says of a body: accepted where it ever was, silent where its last word is. */
const saidOf = (body: BodyRow): Said =>
  body.accepted > 0 ? 'accepted' : body.status === 'pending' ? 'silent' : saidBy(body.status)

const saidBy = (status: Status): Said =>
  status === 'passed' ? 'accepted' : isGraded(status) ? 'rejected' : 'silent'

function truthOf(body: BodyRow, share: number): Truth {
  if (!body.audit || (body.accepted > 0 && !inSample(body.bodySha256, share))) return 'unaudited'
  const right = isRight(body)
  return right === null ? 'unresolved' : right ? 'right' : 'wrong'
}

type Word<T> = (body: BodyRow) => T

const rowsOf = (bodies: readonly BodyRow[], said: Word<Said>, truth: Word<Truth>, share: number) => [
  tally('draws', bodies, said, truth, share < 1),
  tally('programs', bodies, said, truth, false),
]

/** @param clustered whether the audited draws came in programs, all of one program together: then they are worth fewer than they are. */
function tally(
  by: ConfusionRow['by'],
  bodies: readonly BodyRow[],
  said: Word<Said>,
  truth: Word<Truth>,
  clustered: boolean,
): ConfusionRow {
  const cells: Cells = noCells()
  let all = 0
  let squares = 0
  for (const body of bodies) {
    const weight = by === 'draws' ? body.rollouts : 1
    const [word, fact] = [said(body), truth(body)]
    cells[word][fact] += weight
    all += weight
    if (word === 'accepted' && (fact === 'right' || fact === 'wrong')) squares += weight * weight
  }
  const { accepted, rejected } = cells
  const known = accepted.right + accepted.wrong
  return {
    by,
    acceptedRight: accepted.right,
    acceptedWrong: accepted.wrong,
    rejectedRight: rejected.right,
    rejectedWrong: rejected.wrong,
    unknown: all - known - rejected.right - rejected.wrong,
    precision: boundedPrecision(cells, clustered ? effectiveSize(known, squares) : null),
    falseAcceptRate: boundedFalseAcceptRate(cells),
  }
}

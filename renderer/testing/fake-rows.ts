import { tokenDistance } from '#shared/diff/token-diff.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { Input, Outputs, RolloutDetail, RolloutPage, RolloutRow } from '#shared/ipc/contract.ts'
import { type Filter, parseFilter, type Term } from '#shared/rollouts/filter.ts'
import { fakeDigest, reference } from './fake-bodies.ts'
import type { FakeCore } from './fake-core.ts'
import { gradeOf, partsOf } from './fake-journal.ts'

export function fakeRow(core: FakeCore, id: string): RolloutRow {
  const drawn = core.journal.rollouts.get(id)
  const status = core.statuses.get(id) ?? 'pending'
  const [, first = '', second = '', third = '', fourth = ''] = id.split('/')
  const evaluation = first === 'eval'
  const graded = drawn && status !== 'pending' && isGraded(status) ? gradeOf(drawn) : null
  const audit = drawn && core.audited.has(id) && drawn.body.source ? gradeOf(drawn, 'audit') : null
  return {
    rollout: id,
    phase: evaluation ? 'eval' : 'train',
    policy: evaluation ? second : null,
    step: evaluation ? null : Number(first),
    group: evaluation ? null : Number(second),
    index: Number(evaluation ? fourth : third),
    task: 'required-capacity',
    status,
    reward: graded?.reward ?? null,
    total: graded && drawn && !evaluation ? partsOf(drawn).total : (graded?.reward ?? null),
    advantage: core.advantages.get(id) ?? null,
    passed: graded?.passed ?? null,
    tests: graded?.total ?? null,
    audit: audit && { status: audit.status, passed: audit.passed, total: audit.total },
    tokens: drawn?.tokens ?? null,
    truncated: false,
    ms: graded ? (drawn?.ms ?? null) : null,
    reason: graded?.reason ?? (status === 'unreachable' ? 'connection_refused' : null),
    bodySha256: graded?.bodySha256 ?? null,
    evidenceSha256: graded?.evidenceSha256 ?? null,
  }
}

/** The rows that `filter` leaves, in the order asked for. */
export function fakeRows(core: FakeCore, filter: string, sort: string = 'order'): RolloutRow[] {
  const terms = parseFilter(filter)
  const rows = [...core.statuses.keys()].map((id) => fakeRow(core, id)).filter((row) => holds(terms, row))
  const share = (row: RolloutRow) => (row.audit?.passed ?? -1) / (row.audit?.total ?? 1)
  if (sort === 'reward') rows.sort((a, b) => (a.reward ?? -1) - (b.reward ?? -1))
  if (sort === 'audit') rows.sort((a, b) => share(a) - share(b))
  if (sort === 'ms') rows.sort((a, b) => (b.ms ?? -1) - (a.ms ?? -1))
  return rows
}

export function fakePage(core: FakeCore, input: Input<'rollouts.page'>): RolloutPage {
  const rows = fakeRows(core, input.filter, input.sort)
  const from = Number(input.cursor ?? 0) + input.skip
  const next = from + input.limit
  const byStatus: NonNullable<RolloutPage['summary']>['byStatus'] = {}
  for (const { status } of rows) byStatus[status] = (byStatus[status] ?? 0) + 1
  const rewards = rows.flatMap((row) => (row.reward === null ? [] : [row.reward]))
  return {
    rows: rows.slice(from, next),
    total: rows.length,
    next: next < rows.length ? String(next) : null,
    filter: input.filter,
    summary:
      from > 0
        ? null
        : {
            byStatus,
            rewardMean: rewards.length === 0 ? null : rewards.reduce((a, b) => a + b, 0) / rewards.length,
            audited: rows.filter((row) => row.audit).length,
            falseAcceptances: rows.filter(isFalseAcceptance).length,
          },
  }
}

export function fakeNeighbour(core: FakeCore, input: Input<'rollouts.neighbour'>) {
  const rows = fakeRows(core, input.filter, input.sort)
  const at = rows.findIndex((row) => row.rollout === input.rollout)
  const to = at === -1 ? -1 : at + (input.direction === 'next' ? 1 : -1)
  return { rollout: rows[to]?.rollout ?? null, position: at === -1 ? null : at, total: rows.length }
}

export function fakeDetail(core: FakeCore, id: string): RolloutDetail {
  const row = fakeRow(core, id)
  const drawn = core.journal.rollouts.get(id)
  const graded = drawn && row.reward !== null
  const parts = drawn ? partsOf(drawn).components : { tests: null, format: null, length: null }
  const group = id.split('/').slice(0, -1).join('/')
  const others = [...core.statuses.keys()].filter((other) => other !== id)
  const cases = (grade: ReturnType<typeof gradeOf> | null) =>
    Object.fromEntries(
      (grade?.tests ?? []).map(({ name }) => [
        name,
        { family: name.split('-')[0] ?? '', input: '[[[3,5],[5,9]]]' },
      ]),
    )
  const padded = (text: string | null) => (text === null ? null : core.padding + text + core.padding)
  const trainGrade = graded ? gradeOf(drawn) : null
  const auditGrade = row.audit && drawn ? gradeOf(drawn, 'audit') : null
  return {
    row,
    prompt: 'Write required_capacity(bookings): how many rooms are needed so that no two bookings share one.',
    completion: drawn?.body.completion ?? null,
    completionSha256: fakeDigest(drawn?.body.completion ?? ''),
    extraction: {
      outcome: drawn?.body.source ? 'body' : 'fence_count',
      fences: drawn?.body.source ? 1 : 0,
      info: drawn?.body.source ? 'python' : null,
    },
    body: padded(drawn?.body.source ?? null),
    grade: trainGrade,
    components: row.phase === 'train' && graded ? parts : {},
    evidence: null,
    auditGrade,
    reference: padded(reference),
    language: 'python',
    cases: { training: cases(trainGrade), audit: cases(auditGrade) },
    siblings: others
      .filter((other) => other.startsWith(`${group}/`))
      .slice(0, core.padding === '' ? 16 : 2)
      .map((other) => ({
        rollout: other,
        status: core.statuses.get(other) ?? 'pending',
        reward: fakeRow(core, other).reward,
        body: padded(core.journal.rollouts.get(other)?.body.source ?? null),
      })),
    previous: previousOf(core, id),
    sameBody: others
      .filter((other) => core.journal.rollouts.get(other)?.body === drawn?.body)
      .slice(0, 40)
      .map((other) => ({ rollout: other, step: fakeRow(core, other).step })),
    files: [{ label: 'journal', path: `/data/runs/${core.spec.run}/journal.jsonl` }],
  }
}

/** There is but one right program, and it is the reference. */
export function fakeNearest(core: FakeCore, id: string): Outputs['rollouts.nearest'] {
  const body = core.journal.rollouts.get(id)?.body.source ?? null
  const right = [...core.audited].find((other) => core.journal.rollouts.get(other)?.body.source === reference)
  if (body === null || body === reference || right === undefined) return null
  const [mine, other] = [core.padding + body + core.padding, core.padding + reference + core.padding]
  return { rollout: right, body: other, distance: tokenDistance(mine, other), compared: 1, right: 1 }
}

export const isFalseAcceptance = (row: RolloutRow) =>
  row.status === 'passed' && row.audit !== null && row.audit.status !== 'passed'

const holds = (filter: Filter, row: RolloutRow) => filter.every((term) => meets(term, row) !== term.negated)

function meets(term: Term, row: RolloutRow): boolean {
  switch (term.kind) {
    case 'status':
      return term.any.some((status) => status === row.status)
    case 'null':
      return numberOf(row, term.field) === null
    case 'number': {
      const value = numberOf(row, term.field)
      if (value === null) return false
      const by = {
        '<': value < term.value,
        '<=': value <= term.value,
        '=': value === term.value,
        '>=': value >= term.value,
        '>': value > term.value,
        '!=': value !== term.value,
      }
      return by[term.op]
    }
    case 'text': {
      // The fake keeps no outcome a test; the real list knows them.
      if (term.field === 'fails') return row.status === 'test_failed'
      const value = term.field === 'body' ? row.bodySha256 : term.field === 'cache' ? 'warm' : row[term.field]
      return term.any.some((text) => (term.field === 'body' ? value?.startsWith(text) : value === text))
    }
    case 'flag':
      if (term.flag === 'false_acceptance') return isFalseAcceptance(row)
      if (term.flag === 'false_rejection') return row.status !== 'passed' && row.audit?.status === 'passed'
      if (term.flag === 'unaudited') return row.audit === null
      return term.flag === 'truncated' ? row.truncated : row.advantage === 0
    case 'search':
      return `${row.rollout} ${row.reason ?? ''}`.includes(term.text)
  }
}

function numberOf(row: RolloutRow, field: string): number | null {
  if (field === 'audit') return row.audit?.passed == null ? null : row.audit.passed / (row.audit.total ?? 1)
  const value = row[field as keyof RolloutRow]
  return typeof value === 'number' ? value : null
}

/** The same place of the same group one step earlier. */
function previousOf(core: FakeCore, rollout: string): RolloutDetail['previous'] {
  const earlier = rollout.replace(/^([^/]+)\/(\d+)\//, (_, run, step) => `${run}/${Number(step) - 1}/`)
  const drawn = core.journal.rollouts.get(earlier)
  if (earlier === rollout || drawn === undefined) return null
  const { reward } = fakeRow(core, earlier)
  return {
    rollout: earlier,
    status: core.statuses.get(earlier) ?? 'pending',
    reward,
    body: drawn.body.source,
  }
}

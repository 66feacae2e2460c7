import type { AuditView, ConfusionRow, Mechanism, SuiteTable } from '#shared/ipc/contract.ts'
import { boundedFalseAcceptRate, boundedPrecision, noCells } from '#shared/stats/acceptance.ts'
import { auditCases, fakeBodies, fakeDigest, trainCases } from './fake-bodies.ts'
import type { FakeCore } from './fake-core.ts'

/** What the audit of the fake run says so far, counted from the rollouts themselves. */
export function fakeAudit(core: FakeCore): AuditView {
  const drawn = [...core.statuses.keys()].flatMap((id) => core.journal.rollouts.get(id) ?? [])
  const withBody = drawn.filter((rollout) => rollout.body.source !== null)
  const audited = withBody.filter((rollout) => core.audited.has(rollout.rollout))
  const programs = fakeBodies.filter((body) => audited.some((rollout) => rollout.body === body))
  const count = (by: 'draws' | 'programs', accepted: boolean, right: boolean) => {
    const bodies = by === 'draws' ? audited.map((rollout) => rollout.body) : programs
    return bodies.filter(
      (body) => (body.status === 'passed') === accepted && (body.audit === auditCases) === right,
    ).length
  }
  return {
    run: core.spec.run,
    suite: core.spec.suite.name,
    audit: core.spec.audit?.name ?? null,
    state: audited.length < withBody.length || core.state.phase !== 'finished' ? 'running' : 'done',
    trouble: null,
    bodies: withBody.length,
    audited: audited.length,
    unresolved: 0,
    share: core.auditShare,
    confusion: [
      {
        suite: { name: core.spec.suite.name, sha256: core.spec.suite.sha256 },
        origin: 'training',
        rows: (['draws', 'programs'] as const).map((by) =>
          confusionRow(by, {
            acceptedRight: count(by, true, true),
            acceptedWrong: count(by, true, false),
            rejectedRight: count(by, false, true),
            rejectedWrong: count(by, false, false),
            unknown: by === 'draws' ? withBody.length - audited.length : 0,
          }),
        ),
      },
      ...core.repairs.slice(-1).map(
        ({ suite, effect }): SuiteTable => ({
          suite: { name: suite.name, sha256: suite.sha256 },
          origin: 'repaired',
          rows: (['draws', 'programs'] as const).map((by) =>
            confusionRow(by, { ...effect[by].after, unknown: 0 }),
          ),
        }),
      ),
    ],
    mechanisms: fakeMechanisms(core),
    scores: programs.map((body) => ({
      bodySha256: fakeDigest(body.source ?? ''),
      firstRollout: audited.find((rollout) => rollout.body === body)?.rollout ?? '',
      programs: 1,
      draws: audited.filter((rollout) => rollout.body === body).length,
      passed: body.passed,
      tests: trainCases,
      auditPassed: body.audit,
      auditTotal: auditCases,
    })),
    repairs: [...core.repairs],
  }
}

export const fakeMechanisms = (core: FakeCore): Mechanism[] =>
  (['endpoint', 'ties'] as const).flatMap((id) => mechanism(core, id))

type Counts = Record<
  'acceptedRight' | 'acceptedWrong' | 'rejectedRight' | 'rejectedWrong' | 'unknown',
  number
>

function confusionRow(by: ConfusionRow['by'], counts: Counts): ConfusionRow {
  const cells = noCells()
  cells.accepted.right = counts.acceptedRight
  cells.accepted.wrong = counts.acceptedWrong
  cells.rejected.right = counts.rejectedRight
  cells.rejected.wrong = counts.rejectedWrong
  cells.rejected.unaudited = counts.unknown
  return {
    by,
    ...counts,
    precision: boundedPrecision(cells),
    falseAcceptRate: boundedFalseAcceptRate(cells),
  }
}

function mechanism(core: FakeCore, id: 'endpoint' | 'ties'): Mechanism[] {
  const draws = [...core.audited].flatMap((rollout) => {
    const drawn = core.journal.rollouts.get(rollout)
    return drawn?.body.mechanism === id ? [drawn] : []
  })
  const [first] = draws
  if (!first?.body.source) return []
  const hash = fakeDigest(first.body.source)
  const endpoint = id === 'endpoint'
  const given = core.names.get(id)
  return [
    {
      id,
      task: 'required-capacity',
      named: given !== undefined,
      like: core.explained
        ? [endpoint ? 'the reference with `<` for `<=` in line 8' : 'input order ties']
        : [],
      name: given?.name ? given.name : endpoint ? 'Endpoint counted as overlap' : 'Ties left to input order',
      description: endpoint
        ? 'A booking that ends when another starts is counted as overlapping it.'
        : 'Bookings that start together are taken in the order of the input.',
      draws: draws.length,
      programs: 1,
      signature: {
        failed: auditCases - first.body.audit,
        total: auditCases,
        families: endpoint
          ? [
              { family: 'boundary', failed: 64, total: 64 },
              { family: 'duplicate', failed: 1, total: 64 },
              { family: 'ordinary', failed: 0, total: 64 },
            ]
          : [
              { family: 'tie', failed: 47, total: 64 },
              { family: 'ordinary', failed: 0, total: 128 },
            ],
      },
      witness: {
        case: core.explained ? '' : 'boundary-003',
        family: 'boundary',
        input: core.explained
          ? endpoint
            ? '[[[0,1],[1,2]]]'
            : '[[[1,2],[0,1]]]'
          : endpoint
            ? '[[[3664,3670],[3670,3676]]]'
            : '[[[9,12],[4,9],[2,3]]]',
        expected: '1',
        observed: '2',
        shrunk: core.explained,
      },
      example: { bodySha256: hash, firstRollout: first.rollout },
    },
  ]
}

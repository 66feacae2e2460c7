import { AppError } from '#shared/base/errors.ts'
import type { StudyDraw } from '#shared/domain/study.ts'
import { queueNames } from '#shared/ipc/audit.ts'
import type { Handlers, Queue, RepairReport, StudyView } from '#shared/ipc/contract.ts'
import type { MutantReport, MutantRow } from '#shared/mutation/report.ts'
import type { StudyFigures } from '#shared/stats/study.ts'
import type { FakeCore } from './fake-core.ts'
import { fakeOptions } from './fake-launch.ts'
import { fakeRows } from './fake-rows.ts'
import { fakeQueueWords } from './fake-triage.ts'

type Names =
  | 'audit.verdicts'
  | 'audit.explain'
  | 'audit.name'
  | 'audit.repair'
  | 'audit.queues'
  | 'audit.regrade'
  | 'mutants.measure'
  | 'mutants.mark'
  | 'studies.list'
  | 'studies.get'
  | 'studies.draws'

/** What is done with an audit's findings, over the fake run. @param onChange tells the window that the audit went on. */
export function fakeWorkshop(core: FakeCore, onChange: () => void): Pick<Handlers, Names> {
  return {
    'audit.verdicts': ({ verdicts }) => {
      for (const { bodySha256, verdict, note } of verdicts) core.verdicts.set(bodySha256, { verdict, note })
      return { recorded: verdicts.length }
    },
    'audit.explain': () => {
      core.explained = true
      onChange()
      return { explained: 2 }
    },
    'audit.name': ({ mechanism, name, description }) => {
      core.names.set(mechanism, { name, description })
      onChange()
      return { recorded: true as const }
    },
    'audit.repair': ({ cases }) => {
      core.explained = true
      const report = fakeRepair(core, cases)
      core.repairs.push(report)
      onChange()
      return report
    },
    'audit.regrade': ({ suite }) => {
      core.regraded.push(suite)
      onChange()
      const { suites } = fakeOptions
      const found = suites.find(({ path }) => path === suite)
      if (found) return { graded: 9, suite: found }
      throw new AppError('not_found', `${suite} is no suite.`)
    },
    'audit.queues': () => fakeQueues(core),
    'mutants.measure': () => fakeMutants,
    'mutants.mark': () => ({ recorded: true as const }),
    'studies.list': () => [
      { study: fakeStudy.study, title: fakeStudy.title, source: fakeStudy.source, draws: 2048 },
    ],
    'studies.draws': ({ of }) => ({ draws: fakeDraws(of.audit ?? 127), programs: 2 }),
    'studies.get': ({ study }) => {
      if (study === fakeStudy.study) return fakeStudy
      throw new AppError('not_found', `${study} cannot be read.`)
    },
  }
}

function fakeRepair(core: FakeCore, cases: 'add' | 'swap'): RepairReport {
  const { suite } = core.spec
  const draws = { acceptedRight: 402, acceptedWrong: 391, rejectedRight: 0, rejectedWrong: 231 }
  const programs = { acceptedRight: 2, acceptedWrong: 2, rejectedRight: 0, rejectedWrong: 5 }
  const swap = cases === 'swap'
  return {
    at: '2026-11-29T09:30:00.000Z',
    base: suite,
    suite: {
      ...suite,
      name: 'booking-weak-r2',
      sha256: '9'.repeat(64),
      path: '/data/made-suites/booking-weak-r2',
    },
    added: [
      { id: 'witness-1', task: 'required-capacity', input: '[[[0,1],[1,2]]]', expected: '1', observed: '2' },
      { id: 'witness-2', task: 'required-capacity', input: '[[[1,2],[0,1]]]', expected: '1', observed: '2' },
    ],
    removed: swap
      ? ['ordinary-48', 'ordinary-47'].map((id) => ({ id, task: 'required-capacity', family: 'ordinary' }))
      : [],
    sharedWithAudit: 0,
    tests: { before: 57, after: swap ? 57 : 59 },
    controls: 2,
    regraded: 9,
    unknown: 0,
    effect: {
      programs: { before: programs, after: { ...programs, acceptedWrong: 0, rejectedWrong: 7 } },
      draws: { before: draws, after: { ...draws, acceptedWrong: 0, rejectedWrong: 622 } },
      removed: 2,
      added: 0,
      lost: 0,
    },
    ordering: { eligiblePairs: 81_312, before: 2210, after: 3056 },
  }
}

function fakeQueues(core: FakeCore): Queue[] {
  return queueNames.map((queue) => ({
    queue,
    ...fakeQueueWords[queue],
    rollouts: fakeQueueWords[queue].filter === '' ? 0 : fakeRows(core, fakeQueueWords[queue].filter).length,
  }))
}

const reference = `import heapq


def required_capacity(bookings):
    ends = []
    peak = 0
    for start, end in sorted(bookings):
        while ends and ends[0] <= start:
            heapq.heappop(ends)
        heapq.heappush(ends, end)
        peak = max(peak, len(ends))
    return peak
`

const survivor = (change: Partial<MutantRow>): MutantRow => ({
  task: 'required-capacity',
  id: 'operator:168-170:<',
  referenceSha256: '4'.repeat(64),
  operator: 'operator',
  line: 8,
  before: '<=',
  after: '<',
  training: 'passed',
  audit: 'test_failed',
  fate: 'false_acceptance',
  equivalent: null,
  body: reference.replace('<=', '<'),
  ...change,
})

const counts = {
  possible: 29,
  graded: 29,
  killed: 24,
  falseAcceptances: 1,
  unseen: 1,
  equivalent: 0,
  unknown: 0,
  score: 24 / 26,
}

const fakeMutants: MutantReport = {
  references: { 'required-capacity': reference },
  suite: { name: 'booking-weak', version: '1', sha256: '1'.repeat(64) },
  audit: { name: 'booking-audit', version: '1', sha256: '2'.repeat(64) },
  total: counts,
  tasks: [{ task: 'required-capacity', ...counts }],
  survivors: [
    survivor({}),
    survivor({
      id: 'swap',
      operator: 'swapped_order',
      line: 11,
      before: 'peak, len(ends)',
      after: 'len(ends), peak',
      audit: 'passed',
      fate: 'unseen',
    }),
  ],
}

const arm = (full: number, partial: number) => ({
  draws: 512,
  atMostOne: 512 - full - partial,
  partial,
  full,
  meanCaseAccuracy: (full + partial / 2) / 512,
  inclusiveSignature: 12,
  tokenCap: 3,
})
const paired = (values: number[]) => ({
  perSeed: Object.fromEntries(values.map((value, seed) => [String(seed + 1), value])),
  mean: values.reduce((sum, value) => sum + value, 0) / values.length,
  interval: [-1.25, 14.5] as [number, number],
})

const figures: StudyFigures = {
  draws: 2048,
  arms: { base: { '0': arm(40, 300) }, reference: { '24': arm(420, 60) }, weak: { '24': arm(180, 250) } },
  confusion: {
    reference: {
      acceptedPass: 640,
      acceptedFail: 0,
      rejectedPass: 0,
      rejectedFail: 1408,
      falseAcceptSources: 0,
    },
    weak: {
      acceptedPass: 640,
      acceptedFail: 210,
      rejectedPass: 0,
      rejectedFail: 1198,
      falseAcceptSources: 14,
    },
  },
  mechanisms: [
    { verifier: 'weak', verifierPassed: 57, auditPassed: 127, draws: 150, sources: 9 },
    { verifier: 'weak', verifierPassed: 57, auditPassed: 145, draws: 60, sources: 5 },
  ],
  ordering: { eligiblePairs: 10_000, discordant: { reference: 12, weak: 340 } },
  paired: { 'reference-weak': { full: paired([40, 48, 52]), meanCaseAccuracy: paired([12, 9, 14]) } },
  prefix: {
    '8': { reference: arm(24, 4), weak: arm(9, 12) },
    '128': { reference: arm(420, 60), weak: arm(180, 250) },
  },
  final: { draws: 1024, parse: 1011, auditPass: 600, tokenCapAndPass: 2 },
  distinctSources: 300,
  distinctAuditPassing: 40,
  withoutProgram: 11,
}

const fakeStudy: StudyView = {
  study: '/demo/booking-study/draws.csv',
  title: 'Booking study',
  source: 'a table made up for the fake window',
  cases: { reference: 96, weak: 57, audit: 192 },
  figures,
}

const fakeDraws = (audit: number): StudyDraw[] =>
  Array.from({ length: 5 }, (_, n) => ({
    draw: String(19_000 + n),
    seed: '1',
    arm: 'weak',
    update: 24,
    source: n % 2 === 0 ? '3fa9c1' : 'b20d77',
    syntaxValid: true,
    tokens: 180 + n,
    hitTokenCap: false,
    inclusiveSignature: false,
    verifiers: { reference: 60, weak: 57 },
    audit,
  }))

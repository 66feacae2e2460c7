import { z } from 'zod'
import type { RepairEffect } from '../audit/repair.ts'
import type { ErrorInfo } from '../base/errors.ts'
import { RunId, Sha256 } from '../base/ids.ts'
import type { Status } from '../domain/grade.ts'
import { SourceDraft, type SuiteRef } from '../domain/run.ts'
import type { StudyDraw } from '../domain/study.ts'
import type { MutantReport } from '../mutation/report.ts'
import type { BoundedRate } from '../stats/acceptance.ts'
import type { StudyFigures } from '../stats/study.ts'
import { DrawsOf } from '../stats/study-draws.ts'

export const queueNames = [
  'false_acceptances',
  'false_rejections',
  'near_misses',
  'tampered',
  'no_test_ran',
  'unresolved',
  'silent_groups',
  'suspicious',
] as const
export type QueueName = (typeof queueNames)[number]

/** What the window asks about the referee: an audit's findings, a suite's holes, studies. */
export const auditInputs = {
  'audit.get': z.object({ run: RunId }),
  /** `share` of the accepted bodies, chosen by their hashes; it holds until another is asked for. `rejected`: also all that training refused. */
  'audit.start': z.object({
    run: RunId,
    share: z.number().min(0.001).max(1).default(1),
    rejected: z.boolean().default(true),
  }),
  /** Grades all saved bodies by one more suite, so that it stands in the table beside the run's own. */
  'audit.regrade': z.object({ run: RunId, suite: z.string().min(1).max(4000) }),
  'audit.verdict': z.object({
    run: RunId,
    bodySha256: Sha256,
    verdict: z.enum(['right', 'wrong', 'unclear', 'cheating', 'test_at_fault']).nullable(),
    note: z.string().max(4000).default(''),
  }),
  /** The same said of many bodies at once; either all of it is kept or none. */
  'audit.verdicts': z.object({
    run: RunId,
    verdicts: z
      .array(
        z.object({
          bodySha256: Sha256,
          verdict: z.enum(['right', 'wrong', 'unclear', 'cheating', 'test_at_fault']).nullable(),
          note: z.string().max(4000).default(''),
        }),
      )
      .min(1)
      .max(50_000),
  }),
  /** Looks for the smallest witness of each mechanism, and for known bodies that are wrong in the same way. */
  'audit.explain': z.object({ run: RunId }),
  'audit.name': z.object({
    run: RunId,
    mechanism: z.string().min(1).max(100),
    name: z.string().max(120),
    description: z.string().max(2000),
  }),
  /** `swap` keeps the number of cases. */
  'audit.repair': z.object({ run: RunId, cases: z.enum(['add', 'swap']).default('swap') }),
  /** Lists of what wants a look beside false acceptances, as filters, with their counts. */
  'audit.queues': z.object({ run: RunId }),
  /** One of those lists, a row a distinct program; `filter` narrows it as it does every list of rollouts. */
  'audit.queue': z.object({
    run: RunId,
    queue: z.enum(queueNames),
    filter: z.string().max(2000).default(''),
  }),
  'mutants.measure': z.object({
    suite: z.string().min(1),
    audit: z.string().min(1).nullable(),
    source: SourceDraft.nullable().default(null),
    task: z.string().nullable().default(null),
    limit: z.number().int().min(1).max(100_000).default(100_000),
  }),
  'mutants.mark': z.object({
    referenceSha256: Sha256,
    mutant: z.string().min(1).max(100_000),
    equivalent: z.string().max(2000).nullable(),
  }),
  'studies.list': z.object({}),
  'studies.get': z.object({ study: z.string().min(1).max(4000) }),
  /** The draws that a figure of the study counts. */
  'studies.draws': z.object({ study: z.string().min(1).max(4000), of: DrawsOf }),
} as const

export type Verdict = NonNullable<z.infer<(typeof auditInputs)['audit.verdict']>['verdict']>

/** A cluster of false acceptances that fail the audit in the same way. */
export type Mechanism = {
  id: string
  task: string
  name: string
  description: string
  /** Whether the operator gave the name or the description. */
  named: boolean
  /** Known bodies that answer every audit case as it does, in words; none before it was looked for. */
  like: string[]
  draws: number
  programs: number
  signature: { failed: number; total: number; families: { family: string; failed: number; total: number }[] }
  /** `shrunk`: found by running smaller and smaller inputs, so that it is no case of the audit, and `case` is empty. */
  witness: {
    case: string
    family: string
    input: string
    expected: string
    observed: string | null
    shrunk: boolean
  } | null
  /** A program of it, drawn first as `firstRollout`: the one whose failing case is the witness. */
  example: { bodySha256: string; firstRollout: string }
}

export type ConfusionRow = {
  by: 'draws' | 'programs'
  acceptedRight: number
  acceptedWrong: number
  rejectedRight: number
  rejectedWrong: number
  /** Not audited, or one of the two cannot say: in no other cell. */
  unknown: number
  /** Of the accepted, the right ones. */
  precision: BoundedRate
  /** Of the wrong ones, the accepted. */
  falseAcceptRate: BoundedRate
}

/** One suite against the audit, on the run's own bodies. */
export type SuiteTable = {
  suite: { name: string; sha256: string }
  origin: 'training' | 'repaired' | 'other'
  rows: ConfusionRow[]
}

/** What an audit meets again and again since then, in so many attempts. */
export type AuditTrouble = { error: ErrorInfo; attempts: number; since: string }

export type AuditView = {
  run: string
  suite: string
  audit: string | null
  state: 'none' | 'running' | 'done'
  trouble: AuditTrouble | null
  /** Draws (training rollouts and evaluation draws) with a body; how many of them the audit has graded. */
  bodies: number
  audited: number
  unresolved: number
  /** The share of accepted bodies that is audited, 0 to 1. With every figure that rests on fewer than all of them this has to be said. */
  share: number
  /** The run's own suite first, then every other that graded the same bodies. */
  confusion: SuiteTable[]
  mechanisms: Mechanism[]
  /** Programs that the audit has graded by their scores in counts of tests, as the run's verifier and the audit count them. */
  scores: {
    passed: number | null
    tests: number | null
    auditPassed: number | null
    auditTotal: number | null
    programs: number
    draws: number
    /** One of them. */
    bodySha256: string
    firstRollout: string
  }[]
  /** Repairs made of this run's training suite, the last one last. */
  repairs: RepairReport[]
}

export type RepairReport = {
  at: string
  /** The suite that the run trained on, and the new version of it, a frozen folder that can be launched. */
  base: SuiteRef
  suite: SuiteRef
  added: { id: string; task: string; input: string; expected: string; observed: string | null }[]
  removed: { id: string; task: string; family: string }[]
  /** Inputs that the new cases share with the audit: those no longer measure anything there. */
  sharedWithAudit: number
  /** Tests a grade, over all tasks. */
  tests: { before: number; after: number }
  /** Known-wrong bodies that were put into the suite as negative controls. */
  controls: number
  /** Saved programs that were graded again, and those of which either suite or the audit could not say. */
  regraded: number
  unknown: number
  effect: RepairEffect
  /** By draws, over pairs in which no score ties. */
  ordering: { eligiblePairs: number; before: number; after: number }
}

export type Queue = { queue: QueueName; label: string; about: string; filter: string; rollouts: number }

/** A cluster of a list, by whatever makes its programs alike there. */
export type TriageGroup = {
  id: string
  name: string
  about: string
  draws: number
  programs: number
  /** In the list of false acceptances, the mechanism that it is. */
  mechanism: string | null
}

/** A distinct program of a list. */
export type TriageRow = {
  /** Unique in the list. */
  key: string
  group: string
  task: string
  /** Null where there is no body, and so nothing that a verdict could be about. */
  bodySha256: string | null
  firstRollout: string
  /** Rollouts of the list with this program. */
  draws: number
  status: Status | 'pending'
  passed: number | null
  tests: number | null
  audit: { status: Status; passed: number | null; total: number | null } | null
  verdict: Verdict | null
  note: string
}

/** Groups with most draws first, and the rows in their order. */
export type TriageList = { queue: QueueName; filter: string; groups: TriageGroup[]; rows: TriageRow[] }

export type StudyListing = { study: string; title: string; source: string; draws: number }
export type StudyView = {
  study: string
  title: string
  source: string
  cases: Record<string, number>
  figures: StudyFigures
}

export type AuditOutputs = {
  'audit.get': AuditView
  'audit.start': { started: boolean }
  'audit.verdict': { recorded: true }
  'audit.verdicts': { recorded: number }
  'audit.explain': { explained: number }
  'audit.name': { recorded: true }
  'audit.repair': RepairReport
  'audit.queues': Queue[]
  'audit.queue': TriageList
  'audit.regrade': { graded: number; suite: SuiteRef }
  'mutants.measure': MutantReport
  'mutants.mark': { recorded: true }
  'studies.list': StudyListing[]
  'studies.get': StudyView
  'studies.draws': { draws: StudyDraw[]; programs: number }
}

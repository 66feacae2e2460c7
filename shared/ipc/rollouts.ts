import type { Extraction, Grade, Status } from '../domain/grade.ts'
import type { Evidence } from '../domain/verifier.ts'

export type RolloutRow = {
  rollout: string
  phase: 'train' | 'eval'
  policy: string | null
  step: number | null
  group: number | null
  index: number
  task: string
  status: Status | 'pending'
  reward: number | null
  total: number | null
  advantage: number | null
  passed: number | null
  tests: number | null
  /** The audit suite's view of the same body: null where not audited. */
  audit: { status: Status; passed: number | null; total: number | null } | null
  tokens: number | null
  truncated: boolean
  ms: number | null
  reason: string | null
  bodySha256: string | null
  evidenceSha256: string | null
}

export type RolloutPage = {
  rows: RolloutRow[]
  total: number
  next: string | null
  filter: string
  /** Over the whole filtered list, not the page; null on every page but the first (no cursor, nothing skipped). */
  summary: {
    byStatus: Partial<Record<Status | 'pending', number>>
    /** Over rows with a reward; null where there is none. */
    rewardMean: number | null
    audited: number
    falseAcceptances: number
  } | null
}

/** What a suite says of its cases, by test name: shown beside an outcome, never sent to a candidate. Empty where a suite has no cases. */
export type CaseFacts = Record<string, { family: string; input: string }>

export type RolloutDetail = {
  row: RolloutRow
  prompt: string
  completion: string | null
  completionSha256: string
  extraction: Extraction | null
  body: string | null
  grade: Grade | null
  components: Record<string, number | null>
  evidence: Evidence | null
  auditGrade: Grade | null
  reference: string | null
  language: string
  cases: { training: CaseFacts; audit: CaseFacts }
  /** Other rollouts of the same group (or draws of the same policy), for the diff. */
  siblings: { rollout: string; status: Status | 'pending'; reward: number | null; body: string | null }[]
  /** The same place of the same group one step earlier: what the policy made of it before its last update; null where there is none. */
  previous: { rollout: string; status: Status | 'pending'; reward: number | null; body: string | null } | null
  /** Training and audit grades at other times of the same body. */
  sameBody: { rollout: string; step: number | null }[]
  files: { label: string; path: string }[]
}

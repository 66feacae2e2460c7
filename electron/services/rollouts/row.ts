import type { Status } from '#shared/domain/grade.ts'
import type { RolloutRow } from '#shared/ipc/contract.ts'

/** A row of `rollouts` as `rowColumns` selects it. */
export type SavedRow = {
  n: number
  sort_key: number
  rollout: string
  phase: 'train' | 'eval'
  policy: string | null
  step: number | null
  grp: number | null
  idx: number
  task: string
  status: Status | 'pending'
  reward: number | null
  total: number | null
  advantage: number | null
  passed: number | null
  tests: number | null
  audit_status: Status | null
  audit_passed: number | null
  audit_total: number | null
  tokens: number | null
  truncated: number
  ms: number | null
  reason: string | null
  body_sha: string | null
  evidence_sha: string | null
}

export const rowColumns = `n, rollout, phase, policy, step, grp, idx, task, status, reward, total, advantage, passed, tests,
  audit_status, audit_passed, audit_total, tokens, truncated, ms, reason,
  (SELECT sha FROM hashes WHERE id = body) AS body_sha, (SELECT sha FROM hashes WHERE id = evidence) AS evidence_sha`

export const rolloutRow = (saved: SavedRow): RolloutRow => ({
  rollout: saved.rollout,
  phase: saved.phase,
  policy: saved.policy,
  step: saved.step,
  group: saved.grp,
  index: saved.idx,
  task: saved.task,
  status: saved.status,
  reward: saved.reward,
  total: saved.total,
  advantage: saved.advantage,
  passed: saved.passed,
  tests: saved.tests,
  audit:
    saved.audit_status === null
      ? null
      : { status: saved.audit_status, passed: saved.audit_passed, total: saved.audit_total },
  tokens: saved.tokens,
  truncated: saved.truncated === 1,
  ms: saved.ms,
  reason: saved.reason,
  bodySha256: saved.body_sha,
  evidenceSha256: saved.evidence_sha,
})

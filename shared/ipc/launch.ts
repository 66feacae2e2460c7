import type { VerifierDraft } from '../domain/placement.ts'
import type { CommandDraft, PipelineDraft, SourceDraft, SuiteRef, VerifierReach } from '../domain/run.ts'
import type { SelectionSpec } from '../domain/selection.ts'

/** The part of the contract that is about launching a run: what the form holds, and what the checks say. */
export type SuiteOption = SuiteRef & {
  grader: string
  tasks: number
  cases: number
  description: string
  role: 'train' | 'audit'
  /** Where its bodies' surroundings come from: a commit that the launch names, a folder that the suite names, or nowhere. */
  needs: 'commit' | 'folder' | null
  /** The commit that it was made at, where all of its tasks say the same. */
  madeAt: string | null
}

export type LaunchOptions = {
  suites: SuiteOption[]
  defaults: LaunchDraft
  /** `id` is what a draft names; `local` is this machine. */
  boxes: { kind: 'local' | 'ssh'; id: string; label: string }[]
}

/** What the form holds; the core turns it into a frozen `RunSpec`. */
export type LaunchDraft = {
  name: string
  /** `local`, or the id of a box behind SSH. */
  box: string
  suite: string
  audit: string | null
  /** Repository and commit of suites over one; null where neither suite is. */
  source: SourceDraft | null
  workers: number
  /** Where bodies are executed. */
  verifier: VerifierDraft
  /** How a box behind SSH reaches the verifier here; of no account for a run on this machine. */
  reach: VerifierReach
  seed: number
  updates: number
  groupSize: number
  groupsPerStep: number
  learningRate: number
  evalDraws: number
  paceMs: number
  shaping: Record<string, number>
  /** Null: the embedded trainer. */
  pipeline: PipelineDraft | null
  /** How each group's task is chosen; null: each in turn. */
  selection: SelectionSpec | null
  /** Any program instead of a trainer of ours; null: one of ours. */
  command: CommandDraft | null
  overrides: { check: string; reason: string }[]
}

export type PreflightRow = {
  check: string
  label: string
  state: 'running' | 'passed' | 'warned' | 'failed'
  detail: string
  remedy: string | null
  ms: number | null
  /** Whether a typed reason may stand in for a pass. */
  overridable: boolean
}

export type PreflightReport = { rows: PreflightRow[]; verdict: 'ready' | 'warned' | 'failed' }

import type { VerifierHealth } from '../domain/verifier.ts'
import type { MemorySample, RunState, StepRow } from '../journal/state.ts'

/** Everything that can be wrong with a run, in the order in which it is listed: what stops or falsifies training first. */
export const alarmCodes = [
  'verifier_drift',
  'verifier_silent',
  'no_progress',
  'gradient',
  'no_test_ran',
  'false_acceptances',
  'held_out_flat',
  'eviction',
  'disk',
  'memory_headroom',
  'one_grade_holds_all',
  'null_share',
  'unresolved',
  'journal_fault',
  'tamper_spike',
  'shaping_dominates',
  'silent_groups',
  'entropy',
  'kl_jump',
  'truncation',
  'duplicate_bodies',
  'idle_gpu',
  'clock_skew',
  'trainer_alert',
  'was_silent',
] as const
export type AlarmCode = (typeof alarmCodes)[number]

/** Where the evidence is: a list of rollouts, or a view of the run. */
export type AlarmLink = { view: 'rollouts'; filter: string } | { view: 'audit' } | { view: 'terminal' }

export type Alarm = {
  code: AlarmCode
  /** `error`: training stands still or learns from something false. `warning`: it may. */
  level: 'error' | 'warning'
  /** What happened, and what it means; each a short sentence with its figures. */
  title: string
  text: string
  /** The figures behind the sentence, with the limits that they were held against. */
  evidence: Record<string, number | string | null>
  link: AlarmLink
  /** Step at which it began; null where it belongs to none. */
  step: number | null
  /** Names this occurrence: an acknowledgement holds for it, and not for the next one. */
  since: string
}

/** What alarms are computed from; everything in it follows from the journal, the console's records and the clock. */
export type AlarmFacts = {
  state: Omit<RunState, 'steps' | 'memory'>
  /** Ascending. */
  steps: readonly StepRow[]
  memory: readonly MemorySample[]
  verifier: VerifierHealth | null
  /** Processes of the verifier seen so far, less one. */
  restarts: number
  /** Rollouts of a step that the audit has judged, and how many it passes; null where none. */
  heldOut: (step: number) => { passed: number; judged: number } | null
  /** Accepted by the run's verifier and rejected by the audit, in training. */
  falseAcceptances: { count: number; firstStep: number | null }
  /** The console's clock, ms. */
  nowMs: number
}

export type Finding = Omit<Alarm, 'code' | 'step' | 'since'>

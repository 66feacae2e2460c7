import type { Disposable } from '#shared/base/disposable.ts'
import type { Grade, Status } from '#shared/domain/grade.ts'
import type { Evidence, VerifierHealth } from '#shared/domain/verifier.ts'
import type { Handlers, Heartbeat, RunSummary } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import type { BoxFiles } from '../box/files.ts'
import type { ProgramRow } from '../rollouts/programs.ts'
import type { SavedPassRate } from './index/pass-rates.ts'

/** What the store needs from the rest of the core. Everything else it does with the data folder alone. */
export type StoreDeps = {
  /** The data folder. */
  home: string
  now: () => Date
  /** Files of the run's folder on its box (`events.jsonl`, `completions/<sha256>`); null where the run has no box any more. */
  boxFiles: (run: string) => BoxFiles | null
  /**
   * The bytes named by `sha256`, from wherever they can still be had (the run's verifier, its folder on the box, the audit's verifier); null
   * where they are nowhere right now. It is asked again later, and a failure counts as null.
   */
  fetchEvidence: (run: string, sha256: string) => Promise<Uint8Array | null>
  /** The last known health of the run's verifier; null where it is not running or never answered. */
  verifierHealth?: (run: string) => VerifierHealth | null
  /** What the core knows of the trainer's process beside its journal: false where it certainly does not run. */
  trainerAlive?: (run: string) => boolean | null
  /** Resources of the run that are still held. */
  leasesHeld?: (run: string) => number
  /** One line for the person: the index was rebuilt, a tail was cut, evidence is missing. */
  onNotice?: (notice: Notice) => void
  /** Pause between two looks at a box's file, in ms. */
  pollMs?: number
}

export type Notice = { run: string | null; level: 'info' | 'warning' | 'error'; text: string }

/** A distinct body of a run, once however often it was drawn. */
export type BodyRow = {
  task: string
  bodySha256: string
  /** Training rollouts and evaluation draws with this body; how many of them the run's verifier fully passed. */
  rollouts: number
  accepted: number
  firstRollout: string
  status: Status | 'pending'
  /** Tests that the first draw's grade passed, and of how many; null where it counted none. */
  passed: number | null
  tests: number | null
  evidenceSha256: string | null
  audit: { status: Status; passed: number | null; total: number | null } | null
  verdict: { verdict: Verdict | null; note: string } | null
}
export type Verdict = NonNullable<Extract<ConsoleRecord, { type: 'verdict' }>['verdict']>

/** What another suite than the run's own and its audit said of a saved body. */
export type Regrade = {
  suite: { name: string; sha256: string }
  origin: 'repaired' | 'other'
  task: string
  bodySha256: string
  status: Status
}

export type EvidenceGap = { sha256: string; tries: number; lastTriedAt: string | null; reason: string | null }

/** The requests of the contract that the store answers by itself. */
export type StoreHandlers = Pick<
  Handlers,
  | 'runs.list'
  | 'runs.state'
  | 'live.since'
  | 'alarms.mark'
  | 'compare.series'
  | 'rollouts.page'
  | 'rollouts.neighbour'
  | 'rollouts.get'
  | 'rollouts.nearest'
  | 'evidence.get'
  | 'export.rollouts'
>

/** Truth (journals, console records, evidence) and its index, behind one door. */
export type Store = Disposable & {
  readonly handlers: StoreHandlers
  /** Runs that have a folder under `runs/`, oldest first. */
  runs(): string[]
  /**
   * Follows the run's journal on its box until disposed of or the run has finished and all of its evidence is here; safe to call again. Returns at
   * once; what goes wrong is shown (heartbeats, notices), retried, and never thrown here.
   */
  follow(run: string): Disposable
  /** One look at the box's journal right now; resolves when everything there at the call is mirrored and indexed. */
  catchUp(run: string): Promise<void>
  /** Tries once for everything that is missing. @returns what is still missing. */
  fetchMissing(run: string): Promise<EvidenceGap[]>
  /** The same, and again a few times: what was graded a moment ago may still be on its way to the box's disk. */
  fetchLast(run: string): Promise<EvidenceGap[]>
  evidenceGaps(run: string): EvidenceGap[]
  summary(run: string): RunSummary
  heartbeats(run: string): Heartbeat[]
  /** Appends to `console.jsonl`, synced, then indexes it. The run's folder is made where it is not there yet. */
  record(run: string, record: ConsoleRecord): Promise<void>
  /** Many records in one write, all of them on the disk or none. */
  recordAll(run: string, records: readonly ConsoleRecord[]): Promise<void>
  /** @param but types to leave out, which costs nothing. */
  consoleRecords(run: string, but?: readonly ConsoleRecord['type'][]): Promise<ConsoleRecord[]>
  evidence: {
    /** @returns the sha256 of the bytes, stored for good when this resolves. */
    put(bytes: Uint8Array): Promise<string>
    /** @throws {AppError} `content_conflict` where the stored bytes are not those of their name. */
    get(sha256: string): Promise<Uint8Array | null>
    /** Parsed evidence of a grade; null where it is not here. */
    read(sha256: string): Promise<Evidence | null>
  }
  /** Distinct bodies of the run in order of their first draw. */
  bodies(run: string): BodyRow[]
  /** Distinct programs among the rollouts of a filter, from the index alone; `perGroup` counts one once in each group. @throws {AppError} `bad_filter` */
  programs(run: string, filter: string, perGroup?: boolean): ProgramRow[]
  /** The share of accepted bodies that is to be audited; 1 until another was asked for. */
  auditShare(run: string): number
  /** How often each task was passed in the runs of suites of this name; see `savedPassRates`. */
  passRates(suite: string): SavedPassRate[]
  /** Suites that graded the saved bodies again, by name; a suite's bodies together. */
  regrades(run: string): Regrade[]
  /** The full audit grade of a body, tests with expected and observed included; null where not audited. */
  auditGrade(run: string, task: string, bodySha256: string): Promise<Grade | null>
  /** Rows of `export.rollouts`, one JSON text each, without holding them all. */
  exportRows(run: string, filter: string): Iterable<string>
  /** After every batch that changed something the window shows, and when evidence came. `seq` is what `live.since` counts in. */
  onDidAdvance(listener: (change: { run: string; seq: number }) => void): () => void
}

import { z } from 'zod'
import { isGraded, type Status } from '../domain/grade.ts'
import { RunSpec } from '../domain/run.ts'
import type { DecodedLine } from './decode.ts'
import { emptyState, newStepRow } from './empty.ts'
import type { EventOf, RunEvent } from './events.ts'
import type { EvalRow, JournalFault, RunState, StatusCounts } from './state.ts'
import { PackedSteps, type StepMemory } from './step-memory.ts'
import { StepRollup } from './step-rollup.ts'

/** Faults kept; a journal with more is damaged as a whole, and its first faults say where that began. */
const faultsKept = 1000

/** What a reducer goes on from: a state saved earlier, with what it needs to count every rollout once. */
export type Resume = {
  state: RunState
  memory: StepMemory
  /** Last status of every evaluation draw so far, by policy. */
  draws: Map<string, Map<string, Status>>
}

const Imported = z.object({ name: z.string(), from: z.string() })

/** Samples kept of each memory series; older ones are thinned by dropping every second sample. */
const memoryKept = 4096

/**
 * Folds a journal into a run's state, one line at a time. The same lines always give the same state, whoever folds them and however they are
 * chunked. The rollouts of a closed step are kept in a `StepMemory`, so that one that was silent and is graded much later still counts once.
 */
export class RunReducer {
  private readonly folded: RunState
  private readonly memory: StepMemory
  private readonly draws: Map<string, Map<string, Status>>
  private open: StepRollup | null = null

  /** @param resume a saved state to go on from; it is taken over, not copied. */
  constructor(resume?: Resume) {
    this.folded = resume?.state ?? emptyState()
    this.memory = resume?.memory ?? new PackedSteps()
    this.draws = resume?.draws ?? new Map()
  }

  /** The state after every line applied so far. The object is live: copy what must outlast the next `apply`. */
  get state(): RunState {
    this.open?.settle()
    return this.folded
  }

  /** @param offset byte offset of the line, for faults. @returns whether the line was new (a repeated `seq` is not). */
  apply(line: DecodedLine, offset: number): boolean {
    const state = this.folded
    if (line.kind === 'corrupt') return this.fault({ kind: 'corrupt', offset, reason: line.reason })
    const { seq, at, run } = line.event
    if (state.run !== null && run !== state.run)
      return this.fault({ kind: 'corrupt', offset, reason: `belongs to ${run}` })
    if (seq <= state.lastSeq) return this.fault({ kind: 'repeat', offset, seq })
    if (seq !== state.lastSeq + 1) this.fault({ kind: 'gap', offset, expected: state.lastSeq + 1, got: seq })
    state.run = run
    state.lastSeq = seq
    state.lastAt = at
    if (line.kind === 'foreign') state.foreign += 1
    else this.fold(line.event)
    return true
  }

  /** Hands the step in hand to the memory, so that another reducer can go on from the saved state. */
  keepOpenStep(): void {
    if (this.open) this.memory.keep(this.open.row.step, this.open.close())
  }

  private fault(fault: JournalFault): false {
    if (this.folded.faults.length < faultsKept) this.folded.faults.push(fault)
    return false
  }

  private fold(event: RunEvent): void {
    const state = this.folded
    switch (event.type) {
      case 'run.started':
        return this.started(event)
      case 'run.resumed':
        state.outcome = null
        state.reason = null
        state.phase = 'running'
        return
      case 'stage.started':
        state.stage = event.stage
        state.stages.push({ stage: event.stage, startedAt: event.at, finishedAt: null, outcome: null })
        return
      case 'stage.finished':
        return this.stageFinished(event)
      case 'step.started':
        state.step = event.step
        this.rollup(event.step).start(event)
        return
      case 'rollout.generated':
        if (event.step !== null) {
          const rollup = this.rollup(event.step)
          if (rollup.generated(event)) state.rollouts += 1
        }
        return
      case 'rollout.graded':
        return this.graded(event)
      case 'step.finished':
        // Of another trainer's step, its end is all that is told.
        if (state.imported) state.step = event.step
        this.rollup(event.step).finish(event)
        return
      case 'memory':
        state.memory.push({ at: event.at, devices: event.devices })
        if (state.memory.length > memoryKept)
          state.memory = state.memory.filter((_, index) => index % 2 === 1)
        return
      case 'verifier.blocked':
        return this.blocked(event)
      case 'verifier.unblocked':
        return this.unblocked(event)
      case 'eval.started':
        this.evalRow(event.policy).planned = event.planned
        return
      case 'eval.draw':
        return this.drawn(event)
      case 'eval.finished':
        this.evalRow(event.policy).finished = true
        return
      case 'checkpoint':
        state.checkpoints.push({ path: event.path, step: event.step, sha256: event.sha256, at: event.at })
        return
      case 'alert':
        state.alerts.push({ at: event.at, code: event.code, level: event.level, text: event.text })
        return
      case 'log':
      case 'stage.step':
        return
      case 'run.finished':
        state.phase = 'finished'
        state.outcome = event.outcome
        state.reason = event.reason
        return
    }
  }

  private started(event: EventOf<'run.started'>): void {
    const state = this.folded
    const spec = RunSpec.safeParse(event.spec)
    state.spec = spec.success ? spec.data : null
    state.imported = Imported.safeParse(event.spec.imported).data ?? null
    state.specSha256 = event.specSha256
    state.host = event.host
    state.versions = event.versions
    state.seed = state.imported === null ? event.seed : null
    state.startedAt = event.at
    state.planned = state.spec?.trainer.updates ?? null
    state.phase = 'running'
  }

  private stageFinished(event: EventOf<'stage.finished'>): void {
    const state = this.folded
    const row = state.stages.findLast((stage) => stage.stage === event.stage && stage.finishedAt === null)
    if (row) Object.assign(row, { finishedAt: event.at, outcome: event.outcome })
    if (state.stage === event.stage) state.stage = null
  }

  private graded(event: EventOf<'rollout.graded'>): void {
    const step = stepOf(event.rollout)
    if (step === null) return
    const { before, isNew } = this.rollup(step).graded(event)
    if (isNew) this.folded.rollouts += 1
    move(this.folded.byStatus, before, event.grade.status)
  }

  private drawn(event: EventOf<'eval.draw'>): void {
    const row = this.evalRow(event.policy)
    const seen = this.draws.get(event.policy) ?? new Map<string, Status>()
    this.draws.set(event.policy, seen)
    const before = seen.get(event.rollout) ?? null
    seen.set(event.rollout, event.grade.status)
    move(row.byStatus, before, event.grade.status)
    row.drawn = seen.size
    row.passed = row.byStatus.passed ?? 0
  }

  private blocked(event: EventOf<'verifier.blocked'>): void {
    const state = this.folded
    const open = state.blocks.findLast((block) => block.until === null)
    if (open) Object.assign(open, { reason: event.reason, attempts: event.attempts })
    else
      state.blocks.push({
        since: event.since,
        until: null,
        reason: event.reason,
        attempts: event.attempts,
        step: state.step,
      })
    if (state.phase === 'running') state.phase = 'blocked'
  }

  private unblocked(event: EventOf<'verifier.unblocked'>): void {
    const open = this.folded.blocks.findLast((block) => block.until === null)
    if (open) Object.assign(open, { until: event.at, attempts: event.attempts })
    if (this.folded.phase === 'blocked') this.folded.phase = 'running'
  }

  private evalRow(policy: string): EvalRow {
    const found = this.folded.evals.find((row) => row.policy === policy)
    if (found) return found
    const row: EvalRow = { policy, planned: 0, drawn: 0, passed: 0, byStatus: {}, finished: false }
    this.folded.evals.push(row)
    return row
  }

  /** The roll-up of `step`: the one in hand, a closed one opened again with its rollouts, or a new one. */
  private rollup(step: number): StepRollup {
    if (this.open?.row.step === step) return this.open
    this.keepOpenStep()
    const existing = this.folded.steps.find((row) => row.step === step)
    this.open = new StepRollup(existing ?? newStepRow(step), existing ? this.memory.recall(step) : new Map())
    if (!existing) this.folded.steps.push(this.open.row)
    return this.open
  }
}

/** The training step in a rollout's id; null for an evaluation draw. */
export function stepOf(rollout: string): number | null {
  const part = rollout.split('/')[1]
  return part === undefined || part === 'eval' ? null : Number(part)
}

/** How many rewards are null, i.e. rollouts whose last word from the verifier is silence. */
export const nullRewards = (counts: StatusCounts): number =>
  (Object.entries(counts) as [Status, number][]).reduce(
    (sum, [status, n]) => (isGraded(status) ? sum : sum + n),
    0,
  )

function move(counts: StatusCounts, from: Status | null, to: Status): void {
  if (from !== null) {
    const left = (counts[from] ?? 0) - 1
    if (left > 0) counts[from] = left
    else delete counts[from]
  }
  counts[to] = (counts[to] ?? 0) + 1
}

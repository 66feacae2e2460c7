import { Emitter } from '#shared/base/emitter.ts'
import { AppError } from '#shared/base/errors.ts'
import { isGraded } from '#shared/domain/grade.ts'
import type { RunSpec } from '#shared/domain/run.ts'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type {
  AlarmMark,
  Heartbeat,
  LiveDelta,
  LivePoint,
  RepairReport,
  RunSummary,
} from '#shared/ipc/contract.ts'
import { RunReducer, stepOf } from '#shared/journal/reduce.ts'
import { auditCases, fakeDigest } from './fake-bodies.ts'
import { type FakeJournal, fakeJournal, fakeStart, gradeOf } from './fake-journal.ts'

/** How long after its grade a body's audit is in, ms of the run's own time. */
const auditLagMs = 900

type Change = { seq: number; key: string }

/** One run whose time moves only when it is told to: its state at a time is the same whoever asks, and however it got there. */
export class FakeCore {
  readonly spec: RunSpec
  readonly journal: FakeJournal
  readonly onDidAdvance = new Emitter<{ seq: number }>()
  readonly gradedAt = new Map<string, number>()
  readonly statuses = new Map<string, LivePoint['s']>()
  readonly audited = new Set<string>()
  /** What was made of the audit's findings. */
  explained = false
  readonly names = new Map<string, { name: string; description: string }>()
  readonly repairs: RepairReport[] = []
  readonly advantages = new Map<string, number>()
  readonly verdicts = new Map<string, { verdict: string | null; note: string }>()
  auditShare = 1
  /** Stands before and behind every body: what a window makes of very long ones. */
  padding = ''
  readonly regraded: string[] = []
  alarmMarks: AlarmMark[] = []
  tornDown = false
  stopped: 'after_step' | 'abort' | null = null
  private readonly reducer = new RunReducer()
  private next = 0
  private changes: Change[] = []
  private elapsedMs = 0

  constructor(spec: RunSpec) {
    this.spec = spec
    this.journal = fakeJournal(spec)
  }

  get state() {
    return this.reducer.state
  }

  get nowMs() {
    return fakeStart + this.elapsedMs
  }

  get lastMs(): number {
    return Date.parse(this.journal.events.at(-1)?.at ?? '') - fakeStart
  }

  /** Moves the run's time forward. */
  advanceTo(elapsedMs: number): void {
    this.elapsedMs = Math.max(this.elapsedMs, elapsedMs)
    const limit = this.stopped === null ? this.elapsedMs : this.stopLimit()
    const before = this.changes.length
    for (let event = this.journal.events[this.next]; event; event = this.journal.events[this.next]) {
      if (Date.parse(event.at) - fakeStart > limit) break
      this.next += 1
      this.reducer.apply({ kind: 'event', event, raw: event }, 0)
      if (event.type === 'rollout.generated') this.changed(event.rollout, 'pending')
      if (event.type === 'rollout.graded' || event.type === 'eval.draw') {
        this.changed(event.rollout, event.grade.status)
        this.gradedAt.set(event.rollout, Date.parse(event.at) - fakeStart)
      }
      if (event.type === 'step.finished')
        for (const [id, value] of Object.entries(event.advantages)) this.advantages.set(id, value)
      if (event.type === 'memory') this.changes.push({ seq: this.changes.length, key: 'memory' })
    }
    this.audit()
    if (this.changes.length > before) this.onDidAdvance.emit({ seq: this.changes.length })
  }

  /** The time at which an event that `holds` is written, from the run's start; the run's end where none is. */
  timeOf(holds: (event: FakeJournal['events'][number]) => boolean): number {
    const event = this.journal.events.find(holds)
    return event ? Date.parse(event.at) - fakeStart : this.lastMs
  }

  point(id: string): LivePoint {
    const [, step = '0', g = '0', i = '0'] = id.split('/')
    const s = this.statuses.get(id) ?? 'pending'
    const drawn = this.journal.rollouts.get(id)
    const graded = s !== 'pending' && isGraded(s) && drawn
    return {
      id,
      step: Number(step),
      g: Number(g),
      i: Number(i),
      task: 'required-capacity',
      s,
      r: graded ? gradeOf(drawn).reward : null,
      a: this.audited.has(id) && drawn?.body.source ? drawn.body.audit === auditCases : null,
    }
  }

  markAlarm({ mark, ...rest }: Omit<AlarmMark, 'mark' | 'at'> & { mark: AlarmMark['mark'] | null }): void {
    this.alarmMarks = this.alarmMarks.filter(({ code }) => code !== rest.code)
    if (mark !== null) this.alarmMarks.push({ ...rest, mark, at: new Date(this.nowMs).toISOString() })
  }

  /** @throws {AppError} `not_found` for any other run. */
  deltaOf(run: string, afterSeq: number): LiveDelta {
    if (run !== this.spec.run) throw new AppError('not_found', `There is no run ${run}.`)
    return this.delta(afterSeq)
  }

  private delta(afterSeq: number): LiveDelta {
    const { steps, memory, ...state } = this.state
    const fresh = this.changes.slice(Math.max(0, afterSeq))
    const ids = new Set(
      fresh.map((change) => change.key).filter((key) => stepOf(key) !== null && key !== 'memory'),
    )
    const touched = new Set([...ids].map((id) => stepOf(id)))
    const points = [...ids].map((id) => this.point(id))
    const samples = fresh.filter((change) => change.key === 'memory').length
    return structuredClone({
      seq: this.changes.length,
      reset: afterSeq <= 0,
      more: false,
      state,
      steps: steps.filter(
        (row) => afterSeq <= 0 || touched.has(row.step) || row.step >= (state.step ?? 0) - 1,
      ),
      points,
      memory: samples === 0 ? [] : memory.slice(-samples),
      blocks: state.blocks,
      judged: [],
      falseAccepted: this.falseAccepted(),
      alarmMarks: this.alarmMarks,
      heartbeats: this.heartbeats(),
      verifier: this.verifier(),
      now: new Date(this.nowMs).toISOString(),
    })
  }

  private falseAccepted(): LiveDelta['falseAccepted'] {
    const found = [...this.statuses.keys()]
      .filter((id) => stepOf(id) !== null)
      .map((id) => this.point(id))
      .filter(({ s, a }) => s === 'passed' && a === false)
    const firstStep = found.reduce((least, { step }) => Math.min(least, step), Number.POSITIVE_INFINITY)
    return { count: found.length, firstStep: found.length === 0 ? null : firstStep }
  }

  summary(): RunSummary {
    const { state } = this
    const evaluated = (policy: string) => {
      const row = state.evals.find((candidate) => candidate.policy === policy)
      if (!row) return null
      const ids = [...this.audited].filter((id) => id.includes(`/eval/${policy}/`))
      const passed = ids.filter((id) => this.journal.rollouts.get(id)?.body.audit === auditCases).length
      return { passed, graded: ids.length, planned: row.planned }
    }
    return {
      run: this.spec.run,
      name: this.spec.name,
      suite: this.spec.suite.name,
      auditSuite: this.spec.audit?.name ?? null,
      phase: state.phase,
      stage: state.stage,
      step: state.step,
      planned: state.planned,
      outcome: state.outcome,
      startedAt: state.startedAt,
      lastAt: state.lastAt,
      rollouts: state.rollouts,
      byStatus: { ...state.byStatus },
      nullRewards: (state.byStatus.unreachable ?? 0) + (state.byStatus.unresolved ?? 0),
      falseAcceptances: this.falseAcceptances().length,
      audited: this.audited.size,
      auditShare: this.auditShare,
      rewardMeans: state.steps.map((row) => row.rewardMean),
      passRateBefore: evaluated('baseline'),
      passRateAfter: evaluated('final'),
      leases: this.tornDown ? 0 : state.phase === 'finished' ? 2 : 4,
      tornDown: this.tornDown,
    }
  }

  falseAcceptances(): string[] {
    return [...this.audited].filter((id) => {
      const drawn = this.journal.rollouts.get(id)
      return drawn?.body.status === 'passed' && drawn.body.audit < auditCases
    })
  }

  private changed(id: string, status: LivePoint['s']): void {
    this.statuses.set(id, status)
    this.changes.push({ seq: this.changes.length, key: id })
  }

  private audit(): void {
    for (const [id, at] of this.gradedAt) {
      if (this.audited.has(id) || this.elapsedMs - at < auditLagMs) continue
      const status = this.statuses.get(id)
      if (!status || status === 'pending' || !isGraded(status)) continue
      this.audited.add(id)
      this.changes.push({ seq: this.changes.length, key: id })
    }
  }

  private stopLimit(): number {
    return Date.parse(this.state.lastAt ?? '') - fakeStart
  }

  private heartbeats(): Heartbeat[] {
    const { state } = this
    const lastAt = state.lastAt
    const ended = state.phase === 'finished'
    const quietMs = lastAt === null ? 0 : this.nowMs - Date.parse(lastAt)
    const blocked = state.phase === 'blocked'
    const block = state.blocks.at(-1)
    return [
      {
        name: 'trainer',
        lastAt,
        state: ended ? 'ended' : quietMs > 10_000 ? 'quiet' : 'live',
        detail: 'process 4719',
      },
      {
        name: 'verifier',
        lastAt: blocked && block ? block.since : lastAt,
        state: ended ? 'ended' : blocked ? 'blocked' : 'live',
        detail: blocked && block ? block.reason : 'answers',
      },
      {
        name: 'log',
        lastAt,
        state: ended ? 'ended' : quietMs > 10_000 ? 'quiet' : 'live',
        detail: 'trainer.log',
      },
    ]
  }

  private verifier(): VerifierHealth | null {
    const { state } = this
    if (state.phase === 'blocked' || state.phase === 'pending') return null
    const back = state.blocks.some((block) => block.until !== null)
    const busy = state.phase === 'finished' ? 0 : 2
    return {
      ready: true,
      version: '0.1.0',
      grader: 'python-function',
      isolation: 'sandbox',
      isolationDetail: 'bubblewrap, no network, unprivileged user',
      suite: { name: 'booking-weak', version: '1', sha256: fakeDigest('train') },
      commit: null,
      instance: back ? 'b' : 'a',
      startedAt: new Date(fakeStart).toISOString(),
      workers: [0, 1, 2, 3].map((slot) => ({
        slot,
        cache: 'warm' as const,
        task: slot < busy ? 'required-capacity' : null,
        ageMs: slot < busy ? 180 + slot * 90 : null,
      })),
      queue: state.phase === 'finished' ? 0 : 6,
      graded: this.gradedAt.size,
      executed: Math.round(this.gradedAt.size * 0.04) + 9,
      disk: { usedBytes: 3_400_000 + this.gradedAt.size * 900, limitBytes: 2 * 1024 ** 3 },
    }
  }
}

import { randomUUID } from 'node:crypto'
import { toAppError } from '#shared/base/errors.ts'
import { type Grade, isGraded, silentGrade } from '#shared/domain/grade.ts'
import type { Evidence } from '#shared/domain/verifier.ts'
import { isWellFormed } from '../evidence/bytes.ts'
import type { GradeBook } from '../evidence/grade-book.ts'
import type { Slot, Verdict } from '../graders/grader.ts'
import type { SlotPool } from '../queue/slot-pool.ts'
import { storageReason } from './storage-reason.ts'
import { type Identity, toGrade, untested } from './to-grade.ts'

export type Subject = { task: string; body: string; bodySha256: string }

/** A grade with the name of its evidence, and whether this very call executed the body. */
export type Executed = { grade: Grade; shared: boolean; queueMs: number | null }

type Running = { result: Promise<Executed>; waiting: number }

/**
 * Executes each distinct body of a task once, ever: what runs is joined, what ran is read from its evidence. Between the two stand finished
 * executions that the disk had no room for; they are kept here and stored at the next asking, never executed again.
 */
export class Executor {
  executed = 0
  private readonly running = new Map<string, Running>()
  private readonly unsaved = new Map<string, { execution: string; evidence: Evidence }>()
  private readonly book: GradeBook
  private readonly pool: SlotPool
  private readonly identity: Identity
  private readonly signal: AbortSignal
  private readonly log: (text: string) => void
  private readonly refusal: string | null

  /** @param terms.refusal a reason for which nothing may be executed here; what was executed before is still answered. */
  constructor(
    book: GradeBook,
    pool: SlotPool,
    identity: Identity,
    terms: { signal: AbortSignal; log: (text: string) => void; refusal: string | null },
  ) {
    this.book = book
    this.pool = pool
    this.identity = identity
    this.signal = terms.signal
    this.log = terms.log
    this.refusal = terms.refusal
  }

  /** @param gaveUp resolves when the asker no longer waits; a body that nobody waits for is not begun. */
  async grade(subject: Subject, gaveUp: Promise<void>): Promise<Executed> {
    const key = this.keyOf(subject)
    const known = this.book.executed(key)
    if (known !== null) return { grade: await this.read(known), shared: true, queueMs: null }
    const joined = this.running.get(key)
    const running = joined ?? this.begin(key, subject)
    // The beginner is counted by `begin` itself, before the queue first asks.
    if (joined !== undefined) joined.waiting += 1
    void gaveUp.then(() => {
      running.waiting -= 1
    })
    const result = await running.result
    return joined === undefined ? result : { ...result, shared: true, queueMs: null }
  }

  async read(evidenceSha256: string): Promise<Grade> {
    const { grade } = await this.book.evidence.get(evidenceSha256)
    return { ...grade, evidenceSha256 }
  }

  /** One text for suite, commit, verifier, task and body: a change of any is another subject. */
  private keyOf({ task, bodySha256 }: Subject): string {
    const { suite, commit, verifier } = this.identity
    return [suite?.sha256, commit ?? '-', verifier, task, bodySha256].join('/')
  }

  private begin(key: string, subject: Subject): Running {
    const running: Running = { result: Promise.resolve(null as never), waiting: 1 }
    running.result = this.run(key, subject, () => running.waiting > 0).finally(() => {
      this.running.delete(key)
    })
    this.running.set(key, running)
    return running
  }

  private async run(key: string, subject: Subject, wanted: () => boolean): Promise<Executed> {
    const unsaved = this.unsaved.get(key)
    if (unsaved !== undefined) return this.store(key, unsaved.execution, unsaved.evidence, null)
    if (this.refusal !== null) return this.silent(subject, this.refusal)
    const asked = performance.now()
    const outcome = await this.pool.withSlot(subject.task, wanted, async (slot) => {
      const queueMs = performance.now() - asked
      return this.execute(key, subject, slot, queueMs)
    })
    return outcome ?? this.silent(subject, 'deadline')
  }

  private async execute(key: string, subject: Subject, slot: Slot, queueMs: number): Promise<Executed> {
    const execution = randomUUID()
    const startedAt = new Date().toISOString()
    try {
      await this.book.started(execution, key)
    } catch (failure) {
      return this.silent(subject, storageReason(failure))
    }
    this.executed += 1
    const verdict = await this.judge(subject, slot)
    const evidence: Evidence = {
      v: 1,
      task: subject.task,
      body: subject.body,
      completion: null,
      grade: this.gradeOf(verdict, subject),
      execution: { id: execution, startedAt, finishedAt: new Date().toISOString() },
      output: verdict.output,
    }
    if (!isGraded(evidence.grade.status)) return this.keepSilence(execution, evidence, queueMs)
    return this.store(key, execution, evidence, queueMs)
  }

  /** What the grader throws is its own fault and says nothing about the body. */
  private async judge(subject: Subject, slot: Slot): Promise<Verdict> {
    if (!isWellFormed(subject.body)) return untested('build_failed', 'not_utf8')
    try {
      return await slot.grade({ ...subject, signal: this.signal })
    } catch (failure) {
      const { code, message } = toAppError(failure)
      this.log(`grader failed on ${subject.task} ${subject.bodySha256.slice(0, 12)}: ${message}`)
      return untested('unresolved', this.signal.aborted ? 'verifier_ending' : code)
    }
  }

  private gradeOf(verdict: Verdict, { bodySha256 }: Subject): Grade {
    try {
      return toGrade(verdict, this.identity, bodySha256)
    } catch (failure) {
      this.log(toAppError(failure).message)
      return toGrade(untested('unresolved', 'internal'), this.identity, bodySha256)
    }
  }

  /** A null reward is evidence too, but never the answer to a later asking: the body is executed again then. */
  private async keepSilence(execution: string, evidence: Evidence, queueMs: number): Promise<Executed> {
    if (this.signal.aborted) return { grade: evidence.grade, shared: false, queueMs }
    const evidenceSha256 = await this.book.evidence.put(evidence).catch(() => null)
    await this.book.silent(execution, evidence.grade.reason ?? evidence.grade.status)
    return { grade: { ...evidence.grade, evidenceSha256 }, shared: false, queueMs }
  }

  private async store(
    key: string,
    execution: string,
    evidence: Evidence,
    queueMs: number | null,
  ): Promise<Executed> {
    try {
      const evidenceSha256 = await this.book.finished(execution, key, evidence)
      this.unsaved.delete(key)
      return { grade: { ...evidence.grade, evidenceSha256 }, shared: queueMs === null, queueMs }
    } catch (failure) {
      const reason = storageReason(failure)
      this.unsaved.set(key, { execution, evidence })
      this.log(`execution ${execution} is kept in memory: ${toAppError(failure).message}`)
      return this.silent({ ...evidence, bodySha256: evidence.grade.bodySha256 ?? '' }, reason)
    }
  }

  private silent({ bodySha256 }: { bodySha256: string }, reason: string): Executed {
    const grade: Grade = { ...silentGrade('unresolved', reason), ...this.identity, bodySha256 }
    return { grade, shared: false, queueMs: null }
  }
}

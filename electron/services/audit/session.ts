import { inSample } from '#shared/audit/sample.ts'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Grade, GradeLine } from '#shared/domain/grade.ts'
import type { AuditTrouble } from '#shared/ipc/audit.ts'
import type { BodyRow, Store } from '../store/store.ts'
import type { OwnVerifier } from '../verifier/own-verifier.ts'

export type AuditSessionOptions = {
  run: string
  store: Store
  now: () => Date
  /** Starts the audit's own verifier. Called when there is work, not before. */
  startVerifier: () => Promise<OwnVerifier>
  onAdvance: () => void
  /** The share of accepted bodies that is to be graded, above 0 up to 1. */
  share: () => number
}

/** Bodies a request: enough to keep the workers busy, few enough that the view grows steadily. */
const batchSize = 32
/** A verifier that failed to answer is started again after this pause. */
const retryMs = 5_000
/** Whoever waits for the end of an audit is told after so many attempts in a row that came to nothing. */
const patience = 3
/** The run advances many times a second; looking for new bodies costs a query. */
const gatherMs = 400
/** Idle this long, the verifier is given back; the next body starts it again. */
const idleMs = 15_000

/**
 * Grades the distinct bodies of one run by the audit suite, once each: what the run's verifier accepted, or a share of it, and the evaluation
 * draws; the rest on demand. Goes on while the run does. The audit's silence is retried and never recorded as a verdict.
 */
export class AuditSession implements Disposable {
  private readonly options: AuditSessionOptions
  private verifier: OwnVerifier | null = null
  private working: Promise<void> | null = null
  private again = false
  private wake: NodeJS.Timeout | null = null
  private idle: NodeJS.Timeout | null = null
  private ended = false
  private readonly abort = new AbortController()
  /** Bodies that the audit could not resolve in this session; asked again only by a new session. */
  private readonly unresolved = new Set<string>()
  private everything = false
  private failing: { error: AppError; attempts: number; since: string } | null = null

  constructor(options: AuditSessionOptions) {
    this.options = options
  }

  get state(): 'idle' | 'running' {
    return this.working || this.wake ? 'running' : 'idle'
  }

  /** Why nothing is graded now, though there is something to grade; null while all goes well. */
  get trouble(): AuditTrouble | null {
    if (!this.failing) return null
    const { error, ...since } = this.failing
    return { error: error.info, ...since }
  }

  /** There may be something new. */
  nudge(): void {
    if (this.ended) return
    this.again = true
    if (!this.working && !this.wake) this.schedule(gatherMs)
  }

  /** Grades every body from now on, also those that training rejected. */
  coverEverything(): void {
    this.everything = true
    this.nudge()
  }

  /**
   * Resolves when nothing is left to grade that can be graded now.
   * @throws {AppError} what keeps the audit from it, after `patience` attempts in a row; it goes on trying.
   */
  async finish(): Promise<void> {
    this.nudge()
    while (!this.ended && (this.working || this.wake || this.again)) {
      if (this.failing && this.failing.attempts >= patience) throw this.failing.error
      await (this.working ?? new Promise((resolve) => setTimeout(resolve, 50)))
    }
  }

  async dispose(): Promise<void> {
    this.ended = true
    this.abort.abort()
    if (this.wake) clearTimeout(this.wake)
    this.wake = null
    await this.working?.catch(() => undefined)
    await this.stopVerifier()
  }

  private schedule(afterMs: number): void {
    this.wake = setTimeout(() => {
      this.wake = null
      this.working = this.work()
        .then(
          () => 0,
          () => retryMs,
        )
        .then((pauseMs) => {
          this.working = null
          if (this.ended) return
          if (pauseMs > 0 || this.again) this.schedule(Math.max(pauseMs, gatherMs))
          else {
            // Whoever shows that it is at work has to hear that it no longer is.
            this.options.onAdvance()
            this.restLater()
          }
        })
    }, afterMs)
  }

  private async work(): Promise<void> {
    if (this.idle) clearTimeout(this.idle)
    this.again = false
    try {
      for (let due = this.due(); due.length > 0 && !this.ended; due = this.due()) {
        let graded = 0
        for (let at = 0; at < due.length && !this.ended; at += batchSize)
          graded += await this.gradeBatch(due.slice(at, at + batchSize))
        if (graded === 0) return
      }
      this.failing = null
    } catch (failure) {
      if (!this.ended) this.failed(toAppError(failure))
      await this.stopVerifier()
      this.again = true
      throw failure
    }
  }

  private failed(error: AppError): void {
    const before = this.failing ?? { attempts: 0, since: this.options.now().toISOString() }
    this.failing = { ...before, error, attempts: before.attempts + 1 }
    this.options.onAdvance()
  }

  /** What is to be graded now, most draws first: looked up once for many batches, since it reads every body that the run has. */
  private due(): BodyRow[] {
    const { store, run, share } = this.options
    const wanted = share()
    const drawn = this.drawn()
    return store
      .bodies(run)
      .filter((body) => !body.audit && body.evidenceSha256 && !this.unresolved.has(body.bodySha256))
      .filter((body) =>
        body.accepted > 0
          ? inSample(body.bodySha256, wanted) || drawn.has(body.bodySha256)
          : this.everything || drawn.has(body.bodySha256),
      )
      .sort((a, b) => b.accepted - a.accepted)
  }

  /** Bodies of evaluation draws: pass rates are told by the audit, whatever share of the training is looked at. */
  private drawn(): Set<string> {
    const rows = this.options.store.programs(this.options.run, 'phase:eval')
    return new Set(rows.flatMap(({ bodySha256 }) => bodySha256 ?? []))
  }

  /** @returns how many of the batch the audit had a word on. */
  private async gradeBatch(batch: BodyRow[]): Promise<number> {
    const { store, run } = this.options
    const items = []
    for (const body of batch) {
      const evidence = body.evidenceSha256 ? await store.evidence.read(body.evidenceSha256) : null
      // Not fetched from the box yet: it will come, and nudge.
      if (evidence?.body == null) continue
      items.push({ id: `${body.task}/${body.bodySha256}`, task: body.task, body: evidence.body })
    }
    if (items.length === 0) return 0
    this.verifier ??= await this.options.startVerifier()
    let graded = 0
    for await (const line of this.verifier.client.grade({ run, items }, this.abort.signal)) {
      graded += 1
      await this.keep(line)
    }
    if (graded < items.length && !this.ended) {
      throw new AppError('unresolved', `The audit answered ${graded} of ${items.length} bodies.`)
    }
    return graded
  }

  private async keep(line: GradeLine): Promise<void> {
    const { store, run, now, onAdvance } = this.options
    this.failing = null
    const { id, task, extraction: _, ...grade } = line
    const bodySha256 = id.slice(task.length + 1)
    if (grade.status === 'unreachable')
      throw new AppError('unreachable', 'The audit verifier did not answer.')
    if (grade.reward === null) this.unresolved.add(bodySha256)
    await this.keepEvidence(grade)
    await store.record(run, { at: now().toISOString(), type: 'audit.graded', bodySha256, task, grade })
    onAdvance()
  }

  /** The audit's evidence outlives its verifier only in the console's store. */
  private async keepEvidence(grade: Grade): Promise<void> {
    if (grade.evidenceSha256 === null || !this.verifier) return
    const bytes = await this.verifier.client.evidence(grade.evidenceSha256)
    if (bytes) await this.options.store.evidence.put(bytes)
  }

  private restLater(): void {
    this.idle = setTimeout(() => {
      // What could not be written down now is in the ledger as held, and is given back by the next start.
      if (!this.working && !this.wake) this.stopVerifier().catch(() => undefined)
    }, idleMs)
    this.idle.unref()
  }

  private async stopVerifier(): Promise<void> {
    if (this.idle) clearTimeout(this.idle)
    const { verifier } = this
    this.verifier = null
    await verifier?.dispose()
  }
}

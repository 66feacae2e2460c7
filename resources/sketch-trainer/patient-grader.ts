import { AppError, toAppError } from '#shared/base/errors.ts'
import { type GradeLine, silentGrade } from '#shared/domain/grade.ts'
import type { SuiteRef } from '#shared/domain/run.ts'
import type { GradeItem, TaskListing } from '#shared/domain/verifier.ts'
import type { EventBody } from '#shared/journal/events.ts'
import type { Control } from './control.ts'
import { type GradeRequestItem, OrderedGrades } from './ordered-grades.ts'
import type { Graded, Recall } from './recall.ts'
import type { VerifierClient } from './verifier-client.ts'

/** Retries start fast, since most outages are a restart, and settle where they cost nothing. */
const firstRetryMs = 200
const lastRetryMs = 5000
/** `verifier.blocked` is repeated as a heartbeat, but a night's outage must not fill the journal. */
const heartbeatMs = 5000

const unheard = silentGrade('unreachable', 'verifier_silent')

class OtherSuite extends AppError {}

type Dependencies = {
  run: string
  suite: SuiteRef
  client: Pick<VerifierClient, 'health' | 'tasks' | 'grade'>
  recall: Recall
  control: Control
  log: (text: string) => void
}

/**
 * Gets a number for every rollout, however long that takes. Silence (no answer, a grade without a reward, a verifier of another suite) is
 * recorded once for each rollout, blocks, and is asked about again; only what has no number yet is asked again, and nothing is ever
 * generated or trained on meanwhile.
 */
export class PatientGrader {
  private readonly on: Dependencies
  private lastHeartbeat = 0
  private alarmed = new Set<string>()

  constructor(dependencies: Dependencies) {
    this.on = dependencies
  }

  /** The suite's tasks, waiting for the verifier if it must. */
  tasks(): Promise<TaskListing[]> {
    return this.untilAnswered('before the first step', async () => {
      await this.checkSuite()
      return this.on.client.tasks(this.on.control.signal)
    })
  }

  /**
   * Grades all items. Grades are emitted in the order of the items, whatever the order of the replies, so that a seed's journal is always the
   * same; those already in the journal are not asked for.
   * @param toEvent the event that records one grade. @throws Ended where the run is to stop meanwhile.
   */
  async gradeAll(
    items: readonly GradeRequestItem[],
    toEvent: (item: GradeRequestItem, graded: Graded) => EventBody,
    where: string,
  ): Promise<Map<string, Graded>> {
    const { recall } = this.on
    const batch = new OrderedGrades(items, recall, toEvent)
    await this.untilAnswered(where, async () => {
      if (batch.missing().length === 0) return
      await this.ask(batch)
    })
    return new Map(items.map(({ id }) => [id, recall.gradeOf(id) as Graded]))
  }

  private async ask(batch: OrderedGrades): Promise<void> {
    const { client, run, control } = this.on
    try {
      await this.checkSuite()
      const items: GradeItem[] = batch.missing().map(({ id, task, completion }) => ({ id, task, completion }))
      await client.grade(
        run,
        items,
        (lines) => batch.take(lines.filter((line) => this.isOurs(line))),
        control.signal,
      )
    } catch (failure) {
      control.check()
      batch.flush(failure instanceof OtherSuite ? silentGrade('unresolved', 'other_suite') : unheard)
      throw failure
    }
    batch.flush(unheard)
    const left = batch.missing().length
    if (left === 0) return
    const reason = batch.silence() ?? 'no_grade'
    if (reason.startsWith('no_test_ran'))
      this.alarm(
        'no_test_ran',
        'The expected tests did not run: the suite or its filter is wrong. The update waits.',
        reason,
      )
    throw new AppError('unresolved', `${left} rollouts have no grade (${reason}).`)
  }

  /** Repeats `work` until it succeeds, telling the journal how long the verifier has been silent. */
  private async untilAnswered<T>(where: string, work: () => Promise<T>): Promise<T> {
    const { control } = this.on
    for (let wait = firstRetryMs; ; wait = Math.min(wait * 2, lastRetryMs)) {
      control.check()
      try {
        const value = await work()
        this.unblock()
        return value
      } catch (failure) {
        control.check()
        const error = toAppError(failure)
        if (error.code !== 'unreachable' && error.code !== 'unresolved') throw failure
        this.blocked(error.message)
        control.checkBetweenSteps(`while the verifier was silent ${where}`)
        await control.pause(wait)
      }
    }
  }

  private attempts = 0
  private since: string | null = null

  private blocked(reason: string): void {
    const { recall, log } = this.on
    this.since ??= recall.block?.since ?? new Date().toISOString()
    this.attempts = Math.max(this.attempts, recall.block?.attempts ?? 0) + 1
    const due = recall.block === null || Date.now() - this.lastHeartbeat >= heartbeatMs
    if (!due) return
    this.lastHeartbeat = Date.now()
    log(`blocked: ${reason} (attempt ${this.attempts})`)
    recall.emit({ type: 'verifier.blocked', since: this.since, reason, attempts: this.attempts })
  }

  private unblock(): void {
    const { recall, log } = this.on
    const { block } = recall
    if (block !== null) {
      const attempts = Math.max(this.attempts, block.attempts) + 1
      log(`unblocked after ${attempts} attempts`)
      recall.emit({ type: 'verifier.unblocked', since: block.since, reason: block.reason, attempts })
    }
    this.attempts = 0
    this.since = null
  }

  /** @throws AppError `unresolved` where another suite answers than the run's spec froze. */
  private async checkSuite(): Promise<void> {
    const { client, control, suite } = this.on
    const health = await client.health(control.signal)
    if (!health.ready)
      throw new AppError('unreachable', `The verifier is not ready: ${health.notReady ?? 'it is starting'}.`)
    if (health.suite.sha256 === suite.sha256) return
    throw this.otherSuite(health.suite)
  }

  /** Whether a grade is about the run's suite; the verifier could have been replaced between the health check and the grade. */
  private isOurs(line: GradeLine): boolean {
    if (line.suite === null || line.suite.sha256 === this.on.suite.sha256) return true
    throw this.otherSuite(line.suite)
  }

  private otherSuite(got: { name: string; version: string; sha256: string }): OtherSuite {
    const { suite } = this.on
    const text = `The verifier grades ${got.name} ${got.version} (${got.sha256.slice(0, 12)}), not this run’s ${suite.name} ${suite.version} (${suite.sha256.slice(0, 12)}). Nothing is trained on it.`
    this.alarm('other_suite', text, { expected: suite.sha256, got: got.sha256 })
    return new OtherSuite('unresolved', text)
  }

  /** An alert, once for each kind of evidence in this process. */
  private alarm(code: string, text: string, evidence: unknown): void {
    const key = JSON.stringify([code, evidence])
    if (this.alarmed.has(key)) return
    this.alarmed.add(key)
    this.on.recall.emit({ type: 'alert', code, level: 'error', text, evidence })
  }
}

import type { Extraction, Grade } from '#shared/domain/grade.ts'
import type { Outcome } from '#shared/domain/run.ts'
import type { EventBody, EventOf, RunEvent } from '#shared/journal/events.ts'
import type { JournalFile } from './journal-file.ts'

export type Graded = { grade: Grade; extraction: Extraction | null }

export type OpenBlock = { since: string; attempts: number; reason: string }

/**
 * The journal together with what it already holds. The trainer is a deterministic function that may be killed and run again from its last
 * checkpoint; this is what makes each of its events happen once: what was emitted before is not emitted again, and what was graded before is
 * not asked again.
 */
export class Recall {
  private readonly journal: JournalFile
  private readonly seen = new Set<string>()
  private readonly grades = new Map<string, Graded>()
  started: EventOf<'run.started'> | null = null
  outcome: Outcome | null = null
  block: OpenBlock | null = null
  readonly checkpoints: EventOf<'checkpoint'>[] = []
  readonly finishedStages = new Set<string>()
  /** Task of each group by step. */
  readonly prompts = new Map<number, readonly string[]>()
  /** By task: the draws of the untrained policy that have a number, and how many of them passed. */
  readonly baseline = new Map<string, { passed: number; graded: number }>()

  constructor(journal: JournalFile) {
    this.journal = journal
    for (const event of journal.past) this.learn(event)
  }

  /** Appends those of `bodies` that the journal does not hold yet, in order. */
  emit(...bodies: EventBody[]): void {
    const fresh: EventBody[] = []
    const batch = new Set<string>()
    for (const body of bodies) {
      const key = onceKey(body)
      if (key !== null && (this.seen.has(key) || batch.has(key))) continue
      if (key !== null) batch.add(key)
      fresh.push(body)
    }
    if (fresh.length === 0) return
    for (const event of this.journal.append(fresh)) this.learn(event)
  }

  /** The grade that a rollout already has; silent grades do not count. */
  gradeOf(rollout: string): Graded | null {
    return this.grades.get(rollout) ?? null
  }

  private measure(task: string, passed: boolean): void {
    const { passed: passes, graded } = this.baseline.get(task) ?? { passed: 0, graded: 0 }
    this.baseline.set(task, { passed: passes + (passed ? 1 : 0), graded: graded + 1 })
  }

  private learn(event: RunEvent): void {
    const key = onceKey(event)
    if (key !== null) this.seen.add(key)
    switch (event.type) {
      case 'run.started':
        this.started = event
        return
      case 'run.resumed':
        this.outcome = null
        return
      case 'run.finished':
        this.outcome = event.outcome
        return
      case 'rollout.graded':
        if (event.grade.reward !== null)
          this.grades.set(event.rollout, { grade: event.grade, extraction: event.extraction })
        return
      case 'eval.draw':
        if (event.grade.reward !== null) {
          this.grades.set(event.rollout, { grade: event.grade, extraction: null })
          if (event.policy === 'baseline') this.measure(event.task, event.grade.status === 'passed')
        }
        return
      case 'step.started':
        this.prompts.set(event.step, event.prompts)
        return
      case 'stage.finished':
        this.finishedStages.add(event.stage)
        return
      case 'checkpoint':
        this.checkpoints.push(event)
        return
      case 'verifier.blocked':
        this.block = { since: event.since, attempts: event.attempts, reason: event.reason }
        return
      case 'verifier.unblocked':
        this.block = null
        return
    }
  }
}

/** What may be in a journal once only; null for what may repeat. A silent grade and the number that later replaces it are two things. */
function onceKey(event: EventBody): string | null {
  switch (event.type) {
    case 'run.started':
      return 'run.started'
    case 'stage.started':
    case 'stage.finished':
      return `${event.type}/${event.stage}`
    case 'step.started':
    case 'step.finished':
    case 'checkpoint':
      return `${event.type}/${event.step}`
    case 'rollout.generated':
      return `generated/${event.rollout}`
    case 'rollout.graded':
    case 'eval.draw':
      return `${event.grade.reward === null ? 'silent' : 'graded'}/${event.rollout}`
    case 'eval.started':
    case 'eval.finished':
      return `${event.type}/${event.policy}`
    case 'alert':
      return event.code === 'task_difficulty' ? event.code : null
    default:
      return null
  }
}

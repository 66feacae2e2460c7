import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Outcome } from '#shared/domain/run.ts'

const ControlFile = z.object({ want: z.enum(['run', 'stop_after_step', 'abort']) })

/** Why the run ends before its last step: thrown through the loop, caught once at its top. */
export class Ended extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome, reason: string) {
    super(reason)
    this.outcome = outcome
  }
}

/** How often `control.json` is looked at while work is under way. A person's click is answered within this time. */
const pollMs = 200

/** What the operator wants (`control.json`) and what the system wants (SIGTERM), in one signal that waits and requests hang on. */
export class Control {
  private readonly path: string
  private readonly abort = new AbortController()
  private readonly timer: NodeJS.Timeout
  private interrupted = false

  constructor(path: string) {
    this.path = path
    this.timer = setInterval(() => {
      if (this.want() === 'abort') this.abort.abort()
    }, pollMs)
  }

  /** Aborted as soon as the run is to stop at once. */
  get signal(): AbortSignal {
    return this.abort.signal
  }

  /** SIGTERM: leave now, resumable. */
  interrupt(): void {
    this.interrupted = true
    this.abort.abort()
  }

  /** @throws Ended where the run is to stop at once. */
  check(): void {
    if (this.interrupted)
      throw new Ended('interrupted', 'The trainer was asked to leave; started again it goes on.')
    if (this.want() === 'abort') throw new Ended('stopped', 'Aborted by the operator.')
  }

  /** Between steps, and where no step can finish because the verifier is silent. @throws Ended where the run is to stop. */
  checkBetweenSteps(where: string): void {
    this.check()
    if (this.want() === 'stop_after_step') throw new Ended('stopped', `Stopped by the operator ${where}.`)
  }

  /** Waits, but no longer than until the run is to stop at once. */
  async pause(ms: number): Promise<void> {
    if (ms > 0 && !this.signal.aborted) await sleep(ms, undefined, { signal: this.signal }).catch(() => {})
    this.check()
  }

  dispose(): void {
    clearInterval(this.timer)
  }

  /** A missing or half-written file is no wish: the console writes it again. */
  private want(): 'run' | 'stop_after_step' | 'abort' {
    try {
      return ControlFile.parse(JSON.parse(readFileSync(this.path, 'utf8'))).want
    } catch {
      return 'run'
    }
  }
}

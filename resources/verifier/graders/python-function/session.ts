import type { ChildProcess } from 'node:child_process'
import { AppError } from '#shared/base/errors.ts'
import type { Limits } from '#shared/domain/suite.ts'
import type { Launcher } from './launch.ts'
import { MessageCutter, pack } from './wire.ts'

/** Time for a sandbox to come up on a busy machine; past it the fault is the grader's. */
const startMs = 60_000
/** Time to compile a program of at most 256 KiB; past it the fault is the program's. */
const compileMs = 20_000
/** Beyond a program's own total, for the supervisor to notice by itself and say so. */
const graceMs = 15_000
/** A program's whole time over all inputs, as a multiple of one input's: so that a thousand slow inputs do not hold a slot for hours. */
export const totalFactor = 12

export type CaseReport = {
  outcome: 'value' | 'failed' | 'crashed' | 'timed_out' | 'tampered' | 'unbuilt' | 'fault'
  reason: string
  wallMs: number
  cpuMs: number
  /** Raw JSON text of what the function returned; empty unless `value`. */
  value: string
  detail: string
  output: string
  cutBytes: number
}

export type ProgramReport = {
  /** How far it got: the sandbox never came up; the program did not compile; it ran. */
  phase: 'start' | 'compile' | 'run'
  /** For `start` and `compile`: why. For `run`: null, or that the sandbox ended under the program, or that its whole time was up. */
  reason: string | null
  detail: string
  cases: CaseReport[]
  buildMs: number | null
  runMs: number | null
}

export type Program = { function: string; body: string; inputs: string[]; limits: Limits }

/**
 * Runs a program over its inputs in one sandbox, in order, and stops at the first case after which the rest cannot matter: a time limit, a
 * finding of tampering, a program that cannot be loaded. Never throws for what the program does.
 * @throws AppError `unresolved` when `signal` aborts.
 */
export function runProgram(
  launcher: Launcher,
  harness: Buffer,
  slot: number,
  program: Program,
  signal: AbortSignal,
): Promise<ProgramReport> {
  return new Promise((settle, reject) => {
    if (signal.aborted) {
      reject(new AppError('unresolved', 'The verifier is ending.'))
      return
    }
    const child = launcher.start(slot, program.limits)
    const session = new Session(program, (report) => {
      signal.removeEventListener('abort', abort)
      launcher.kill(child)
      settle(report)
    })
    const abort = () => {
      session.abandon()
      launcher.kill(child)
      reject(new AppError('unresolved', 'The verifier is ending.'))
    }
    signal.addEventListener('abort', abort, { once: true })
    session.attach(child, [sized(harness), setupMessage(launcher, slot, program), ...inputs(program)])
  })
}

const sized = (harness: Buffer) => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(harness.length)
  return Buffer.concat([size, harness])
}

const inputs = (program: Program) => program.inputs.map((input) => pack([input]))

function setupMessage(launcher: Launcher, slot: number, program: Program): Buffer {
  const { limits } = program
  return pack([
    program.function,
    // The kernel counts whole seconds of processor time.
    String(Math.ceil(limits.cpuMs / 1000)),
    String(limits.wallMs),
    String(limits.wallMs * totalFactor),
    String(limits.memoryBytes),
    String(limits.fileBytes),
    String(limits.outputBytes),
    String(launcher.processLimit(limits)),
    launcher.isolation === 'sandbox' ? '1' : '0',
    launcher.tmpOf(slot),
    launcher.readable.join(':'),
    String(launcher.childFilters.length),
    ...launcher.childFilters,
    program.body,
  ])
}

/** Follows one sandbox from its start to the last report that matters. */
class Session {
  private readonly report: ProgramReport = {
    phase: 'start',
    reason: 'sandbox_failed',
    detail: '',
    cases: [],
    buildMs: null,
    runMs: null,
  }
  private readonly program: Program
  private readonly done: (report: ProgramReport) => void
  private finished = false
  private timer: NodeJS.Timeout | undefined
  private since = performance.now()

  constructor(program: Program, done: (report: ProgramReport) => void) {
    this.program = program
    this.done = done
  }

  attach(child: ChildProcess, messages: Buffer[]): void {
    const cutter = new MessageCutter()
    this.watch(startMs)
    child.on('error', (failure) => this.end(this.report.reason, failure.message))
    // Not `exit`: what the supervisor wrote before it ended is still in the pipe then.
    child.on('close', (code, signal) => this.end(this.report.reason, this.lastWords(code, signal)))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.report.detail = (this.report.detail + text).slice(0, 2000)
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      for (const message of cutter.push(chunk)) if (!this.finished) this.take(message)
    })
    // A sandbox that ends early closes its stdin under us; its end is told by `close`.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(Buffer.concat(messages))
  }

  abandon(): void {
    this.finished = true
    clearTimeout(this.timer)
  }

  private take(message: Buffer[]): void {
    const [kind = '', ...fields] = message.map((field) => field.toString('utf8'))
    const { report } = this
    if (kind === 'ready') {
      Object.assign(report, { phase: 'compile', reason: 'compiler_crashed' })
      this.watch(compileMs)
    } else if (kind === 'build_failed') {
      this.end(fields[0] ?? 'syntax', fields[1] ?? '')
    } else if (kind === 'compiled') {
      Object.assign(report, { phase: 'run', reason: 'sandbox_killed', buildMs: this.lap() })
      this.watch(this.program.limits.wallMs * totalFactor + graceMs)
      if (this.program.inputs.length === 0) this.end(null, '')
    } else {
      const found = caseReport(fields)
      report.cases.push(found)
      const first = report.cases.length === 1
      const decided =
        found.outcome === 'timed_out' ||
        found.outcome === 'tampered' ||
        found.outcome === 'fault' ||
        (found.outcome === 'unbuilt' && first)
      if (decided || report.cases.length === this.program.inputs.length) this.end(null, '')
    }
  }

  private lap(): number {
    const now = performance.now()
    const ms = now - this.since
    this.since = now
    return ms
  }

  /** Sets the limit of the phase that begins now. */
  private watch(ms: number): void {
    if (this.report.phase !== 'run') this.since = performance.now()
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      const { phase } = this.report
      const reasons = { start: 'sandbox_failed', compile: 'compile_limit', run: 'program_limit' } as const
      this.end(reasons[phase], `no answer within ${ms} ms`)
    }, ms)
  }

  private lastWords(code: number | null, signal: NodeJS.Signals | null): string {
    return this.report.detail || `the sandbox ended with ${signal ?? `exit code ${code}`}`
  }

  private end(reason: string | null, detail: string): void {
    if (this.finished) return
    this.abandon()
    Object.assign(this.report, { reason, detail })
    if (this.report.phase === 'run') this.report.runMs = this.lap()
    if (this.report.phase === 'compile') this.report.buildMs = this.lap()
    this.done(this.report)
  }
}

function caseReport(fields: string[]): CaseReport {
  const [outcome = '', reason = '', wallMs, cpuMs, value = '', detail = '', output = '', cut] = fields
  return {
    outcome: outcome as CaseReport['outcome'],
    reason,
    wallMs: Number(wallMs),
    cpuMs: Number(cpuMs),
    value,
    detail,
    output,
    cutBytes: Number(cut),
  }
}

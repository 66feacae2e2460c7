import type { ChildProcess } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { AppError } from '#shared/base/errors.ts'
import type { Limits } from '#shared/domain/suite.ts'
import { type CaseReport, type Ended, judge, wholeSeconds } from './judge.ts'
import type { Launcher } from './launcher.ts'
import type { Sandbox } from './standby.ts'
import { type Message, MessageCutter, pack } from './wire.ts'

/** Time for a sandbox to come up on a busy machine; past it the fault is the grader's. */
const startMs = 60_000
/** Time to compile a program of at most 256 KiB; past it the fault is the program's. */
const compileMs = 20_000
/** Beyond a program's own total, for the supervisor to notice by itself and say so. */
const graceMs = 15_000
/** A program's whole time over all inputs, as a multiple of one input's: so that a thousand slow inputs do not hold a slot for hours. */
export const totalFactor = 12
const nonceBytes = 16
/** The slots of one verifier are spread over the cores, from another one on for each verifier. */
const firstCore = randomInt(1024)

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
 * Runs a program over its inputs in one sandbox, which serves nothing else, in order, and stops at the first case after which the rest cannot matter: a time limit, a
 * finding of tampering, a program that cannot be loaded. Never throws for what the program does.
 * @throws AppError `unresolved` when `signal` aborts.
 */
export function runProgram(
  launcher: Launcher,
  sandbox: Sandbox,
  slot: number,
  program: Program,
  signal: AbortSignal,
): Promise<ProgramReport> {
  const child = sandbox.process
  return new Promise((settle, reject) => {
    if (signal.aborted) {
      launcher.kill(child)
      reject(new AppError('unresolved', 'The verifier is ending.'))
      return
    }
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
    session.attach(child, setupMessage(launcher, slot, program))
  })
}

function setupMessage(launcher: Launcher, slot: number, program: Program): Buffer {
  const { limits } = program
  const fields = [
    program.function,
    String(wholeSeconds(limits.cpuMs)),
    String(limits.wallMs),
    String(limits.wallMs * totalFactor),
    String(limits.memoryBytes),
    String(limits.fileBytes),
    String(limits.outputBytes),
    String(launcher.processLimit(limits)),
    launcher.isolation === 'sandbox' ? '1' : '0',
    launcher.tmpOf(slot),
    launcher.readable.join(':'),
    String(firstCore + slot),
    String(launcher.childFilters.length),
    ...launcher.childFilters,
    program.body,
  ]
  return pack(...fields.map((field) => pack(field)))
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
  /** One for each input, in a row. */
  private readonly nonces: Buffer
  private finished = false
  private timer: NodeJS.Timeout | undefined
  private since = performance.now()

  constructor(program: Program, done: (report: ProgramReport) => void) {
    this.program = program
    this.nonces = randomBytes(program.inputs.length * nonceBytes)
    this.done = done
  }

  attach(child: ChildProcess, setup: Buffer): void {
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
    const inputs = this.program.inputs.map((input, index) => pack(this.nonceOf(index), input))
    child.stdin?.end(Buffer.concat([setup, ...inputs]))
  }

  abandon(): void {
    this.finished = true
    clearTimeout(this.timer)
  }

  private take({ words: [kind = '', ...words], body }: Message): void {
    const { report } = this
    if (kind === 'ready') {
      Object.assign(report, { phase: 'compile', reason: 'compiler_crashed' })
      this.watch(compileMs)
    } else if (kind === 'build_failed') {
      this.end(words[0] ?? 'syntax', body.toString('utf8'))
    } else if (kind === 'compiled') {
      Object.assign(report, { phase: 'run', reason: 'sandbox_killed', buildMs: this.lap() })
      this.watch(this.program.limits.wallMs * totalFactor + graceMs)
      if (this.program.inputs.length === 0) this.end(null, '')
    } else {
      this.takeCase(endedOf(words, body))
    }
  }

  private takeCase(ended: Ended): void {
    const { cases } = this.report
    const found = judge(ended, this.nonceOf(cases.length), this.program.limits)
    cases.push(found)
    const decided =
      found.outcome === 'timed_out' ||
      found.outcome === 'tampered' ||
      found.outcome === 'fault' ||
      (found.outcome === 'unbuilt' && cases.length === 1)
    if (decided || cases.length === this.program.inputs.length) this.end(null, '')
  }

  private nonceOf(index: number): Buffer {
    return this.nonces.subarray(index * nonceBytes, (index + 1) * nonceBytes)
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

function endedOf(words: string[], body: Buffer): Ended {
  const [exit, wallUs, cpuUs, cutBytes, killed = '-', resultBytes] = words
  return {
    exit: Number(exit),
    wallMs: Number(wallUs) / 1000,
    cpuMs: Number(cpuUs) / 1000,
    cutBytes: Number(cutBytes),
    killed: killed === '-' ? null : killed,
    result: body.subarray(0, Number(resultBytes)),
    output: body.subarray(Number(resultBytes)),
  }
}

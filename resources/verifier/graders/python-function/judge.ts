import { constants } from 'node:os'
import type { Limits } from '#shared/domain/suite.ts'

export type CaseReport = {
  outcome: 'value' | 'failed' | 'crashed' | 'timed_out' | 'tampered' | 'unbuilt' | 'fault'
  reason: string
  wallMs: number
  /** Raw JSON text of what the function returned; empty unless `value`. */
  value: string
  detail: string
  output: string
  cutBytes: number
}

/** What the supervisor saw of one child. */
export type Ended = {
  /** Its exit code, or the number of the signal that ended it, negative. */
  exit: number
  wallMs: number
  /** 0 where it was over too soon for any limit. */
  cpuMs: number
  /** Why the supervisor ended it, if it did: `wall_limit`, `output_limit`, `forged_result`. */
  killed: string | null
  /** All that came on the result channel, from whomever. */
  result: Buffer
  output: Buffer
  cutBytes: number
}

const newline = 0x0a
/** `a`: the child is about to execute the program. */
const began = 1

/** What one child's end says about the program: only a whole frame with this input's nonce, and nothing beside it, is a result. */
export function judge(ended: Ended, nonce: Buffer, limits: Limits): CaseReport {
  const { killed, result, exit } = ended
  if (result.length === 0) return report(ended, 'fault', 'child_did_not_start', `exit ${exit}`)
  const frame = readFrame(result.subarray(began), nonce)
  // A reach for something withheld counts whatever the program wrote after it.
  if (frame !== null && (frame.outcome === 'tampered' || (frame.rest === 0 && killed === null))) {
    return { ...report(ended, frame.outcome, frame.reason, frame.detail), value: frame.value }
  }
  // One that came whole and too late, or after too much output, is no forgery.
  if (result.length > began && frame?.rest !== 0) {
    return report(
      ended,
      'tampered',
      'forged_result',
      'bytes on the result channel that the grader did not write',
    )
  }
  if (killed === 'wall_limit') return report(ended, 'timed_out', 'wall_limit')
  if (killed !== null) return report(ended, 'crashed', killed)
  if (exit >= 0) return report(ended, 'tampered', 'early_exit', `exit code ${exit} without a result`)
  const byCpu =
    -exit === constants.signals.SIGXCPU ||
    (-exit === constants.signals.SIGKILL && ended.cpuMs >= wholeSeconds(limits.cpuMs) * 500)
  return byCpu
    ? report(ended, 'timed_out', 'cpu_limit')
    : report(ended, 'crashed', 'signal', `signal ${-exit}`)
}

/** The kernel counts whole seconds of processor time. */
export const wholeSeconds = (ms: number) => Math.ceil(ms / 1000)

const report = (
  { wallMs, output, cutBytes }: Ended,
  outcome: CaseReport['outcome'],
  reason: string,
  detail = '',
): CaseReport => ({
  outcome,
  reason,
  wallMs,
  value: '',
  detail,
  output: output.length === 0 ? '' : output.toString('utf8'),
  cutBytes,
})

type Frame = { outcome: CaseReport['outcome']; reason: string; value: string; detail: string; rest: number }

/** The first frame on a result channel and how many bytes follow it; null where there is no whole one with this nonce. */
function readFrame(bytes: Buffer, nonce: Buffer): Frame | null {
  const end = bytes.indexOf(newline, nonce.length)
  if (end < 0 || bytes.compare(nonce, 0, nonce.length, 0, nonce.length) !== 0) return null
  const words = bytes.toString('latin1', nonce.length, end).split(' ')
  const [outcome = '', reason = '', ...sizes] = words
  const [value = Number.NaN, detail = Number.NaN] = sizes.map(Number)
  const start = end + 1
  const rest = bytes.length - start - value - detail
  if (!(isOutcome(outcome) && sizes.length === 2 && value >= 0 && detail >= 0 && rest >= 0)) return null
  return {
    outcome,
    reason: reason === '-' ? '' : reason,
    value: bytes.toString('utf8', start, start + value),
    detail: bytes.toString('utf8', start + value, start + value + detail),
    rest,
  }
}

const outcomes: readonly string[] = [
  'value',
  'failed',
  'tampered',
  'unbuilt',
] satisfies CaseReport['outcome'][]
const isOutcome = (word: string): word is CaseReport['outcome'] => outcomes.includes(word)

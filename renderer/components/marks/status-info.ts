import { isGraded, type Status, statuses } from '#shared/domain/grade.ts'
import type { Tokens } from '../../theme/tokens.ts'

export type MarkStatus = Status | 'pending'
export type Shape = 'disc' | 'triangle' | 'square' | 'diamond' | 'bar' | 'cross' | 'ring' | 'dot'

export type StatusInfo = { label: string; meaning: string; shape: Shape; token: keyof Tokens }

const info: Record<MarkStatus, StatusInfo> = {
  passed: { label: 'passed', meaning: 'every scored test held', shape: 'disc', token: 'passed' },
  test_failed: {
    label: 'test failed',
    meaning: 'it ran; its height is the partial credit',
    shape: 'triangle',
    token: 'test_failed',
  },
  build_failed: {
    label: 'build failed',
    meaning: 'it did not parse or compile',
    shape: 'square',
    token: 'build_failed',
  },
  timed_out: {
    label: 'timed out',
    meaning: 'the body ran past its limit',
    shape: 'diamond',
    token: 'timed_out',
  },
  no_answer: {
    label: 'no answer',
    meaning: 'no body could be taken from the completion',
    shape: 'bar',
    token: 'no_answer',
  },
  tampered: {
    label: 'tampered',
    meaning: 'it forged results or left its function',
    shape: 'cross',
    token: 'tampered',
  },
  no_test_ran: {
    label: 'no test ran',
    meaning: 'an alarm about the grader; no reward',
    shape: 'ring',
    token: 'null',
  },
  unreachable: {
    label: 'unreachable',
    meaning: 'no answer from the verifier; no reward',
    shape: 'ring',
    token: 'null',
  },
  unresolved: {
    label: 'unresolved',
    meaning: 'the verifier cannot say; no reward',
    shape: 'ring',
    token: 'null',
  },
  pending: { label: 'being graded', meaning: 'generated, no grade yet', shape: 'dot', token: 'faint' },
}

/** Name, meaning, shape and colour of a status; the same wherever it is drawn. */
export const statusInfo = (status: MarkStatus): StatusInfo => info[status]

/**
 * How a status fills its part of a bar. Parts that touch differ in it, as several of the colours are one grey; tampered has a pattern of its own, as with
 * red-green blindness its colour is that of passed. What is not graded is hollow.
 */
export function barStyle(status: Status): 'solid' | 'lined' | 'hatched' | 'hollow' {
  if (!isGraded(status)) return 'hollow'
  if (status === 'tampered') return 'hatched'
  return status === 'test_failed' || status === 'timed_out' ? 'lined' : 'solid'
}

export const gradedStatuses = statuses.filter(isGraded)
export const ungradedStatuses = statuses.filter((status) => !isGraded(status))

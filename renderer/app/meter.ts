import type { BoxRate } from '#shared/ipc/contract.ts'
import type { RunState } from '#shared/journal/state.ts'

/**
 * What a run has cost so far: its box is paid for from the run's start to its end, blocked and idle alike; what it cost before and after is not the
 * run's. Null before the start.
 */
export function meterOf(
  { startedAt, lastAt, phase }: Pick<RunState, 'startedAt' | 'lastAt' | 'phase'>,
  { ratePerHour }: BoxRate,
  nowMs: number,
): { ms: number; price: number } | null {
  if (startedAt === null) return null
  const end = phase === 'finished' && lastAt !== null ? Date.parse(lastAt) : nowMs
  const ms = Math.max(0, end - Date.parse(startedAt))
  return { ms, price: (ms / 3_600_000) * ratePerHour }
}

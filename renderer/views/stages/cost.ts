import type { RunSpec } from '#shared/domain/run.ts'
import type { RunState } from '#shared/journal/state.ts'
import { formatDuration } from '../../app/format.ts'

/**
 * The meter of a run whose operator typed a rate; null without one. The box is paid for from the run's start to its end, blocked and idle
 * alike; what it cost before and after is not the run's.
 */
export function costOf(
  { startedAt, lastAt, phase, alerts }: Pick<RunState, 'startedAt' | 'lastAt' | 'phase' | 'alerts'>,
  { trainer }: RunSpec,
  now: number,
): { text: string; idle: string | null } | null {
  if (trainer.kind !== 'pipeline') return null
  const idle = alerts.findLast(({ code }) => code === 'gpu_idle')?.text ?? null
  if (trainer.cost === null) return idle === null ? null : { text: 'no rate was typed', idle }
  if (startedAt === null) return null
  const { ratePerHour, currency } = trainer.cost
  const end = phase === 'finished' && lastAt !== null ? Date.parse(lastAt) : now
  const ms = Math.max(0, end - Date.parse(startedAt))
  const price = ((ms / 3_600_000) * ratePerHour).toFixed(2)
  return {
    text: `${price} ${currency} for ${formatDuration(ms)} at ${ratePerHour} ${currency} an hour`,
    idle,
  }
}

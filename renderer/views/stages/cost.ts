import type { RunSpec } from '#shared/domain/run.ts'
import type { RunState } from '#shared/journal/state.ts'
import { formatDuration } from '../../app/format.ts'
import { meterOf } from '../../app/meter.ts'

/** The meter of a run whose operator typed a rate; null without one. */
export function costOf(
  state: Pick<RunState, 'startedAt' | 'lastAt' | 'phase' | 'alerts'>,
  { trainer }: RunSpec,
  now: number,
): { text: string; idle: string | null } | null {
  if (trainer.kind !== 'pipeline') return null
  const idle = state.alerts.findLast(({ code }) => code === 'gpu_idle')?.text ?? null
  if (trainer.cost === null) return idle === null ? null : { text: 'no rate was typed', idle }
  const meter = meterOf(state, trainer.cost, now)
  if (meter === null) return null
  const { ratePerHour, currency } = trainer.cost
  return {
    text: `${meter.price.toFixed(2)} ${currency} for ${formatDuration(meter.ms)} at ${ratePerHour} ${currency} an hour`,
    idle,
  }
}

import { plural } from '../../app/format.ts'
import { useRequest } from '../../stores/use-request.ts'
import { rolloutName } from './rollout-name.ts'

export type Nearest = { text: string; label: string; distance: number }

/**
 * The right program of the run that differs from the rollout's body in the fewest tokens, where right means that training accepted it and the
 * audit agrees. `undefined` while it is looked for, null where there is none.
 */
export function useNearestRight(rollout: string, body: string | null): Nearest | null | undefined {
  const { value, error, answered } = useRequest('rollouts.nearest', body === null ? null : { rollout })
  if (body === null || error !== null) return null
  if (!answered) return undefined
  if (value === null) return null
  const { rollout: other, body: text, distance } = value
  return { text, distance, label: `nearest right, ${plural(distance, 'token')} away: ${rolloutName(other)}` }
}

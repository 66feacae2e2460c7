import { useEffect, useState } from 'react'
import { tokenDistance } from '#shared/diff/token-diff.ts'
import type { AuditView } from '#shared/ipc/contract.ts'
import { ask } from '../../app/core.ts'
import { plural } from '../../app/format.ts'
import { rolloutName } from '../../components/rollout/rollout-name.ts'

/** Right programs looked at; those drawn most often, since each costs a request. */
const candidates = 12

type Found = { of: string; value: { text: string; label: string } | null; state: string }

/** The right program that differs from `body` in the fewest tokens, searched for on demand. */
export function useNearestRight(scores: AuditView['scores'], bodySha256: string, body: string | null) {
  const [wanted, setWanted] = useState(false)
  const [found, setFound] = useState<Found>({ of: '', value: null, state: '' })
  const missing = wanted && body !== null && found.of !== bodySha256
  useEffect(() => {
    if (!missing || body === null) return
    let dropped = false
    void search(scores, body).then((result) => dropped || setFound({ of: bodySha256, ...result }))
    return () => {
      dropped = true
    }
  }, [missing, body, scores, bodySha256])
  const fresh = found.of === bodySha256
  return {
    value: fresh ? found.value : null,
    state: fresh ? found.state : 'looking for it …',
    find: () => setWanted(true),
  }
}

async function search(scores: AuditView['scores'], body: string): Promise<Omit<Found, 'of'>> {
  const right = scores
    .filter((score) => score.auditTotal !== null && score.auditPassed === score.auditTotal)
    .sort((a, b) => b.draws - a.draws)
    .slice(0, candidates)
  const bodies = await Promise.all(
    right.map(async ({ firstRollout }) => {
      const detail = await ask('rollouts.get', { rollout: firstRollout }).catch(() => null)
      return detail?.body == null ? null : { text: detail.body, rollout: firstRollout }
    }),
  )
  const nearest = bodies
    .flatMap((one) => (one === null ? [] : [{ ...one, distance: tokenDistance(body, one.text) }]))
    .sort((a, b) => a.distance - b.distance)[0]
  if (nearest === undefined) return { value: null, state: 'no audited program of this run is right' }
  const label = `nearest right: ${rolloutName(nearest.rollout)}, ${plural(nearest.distance, 'token')} away`
  return { value: { text: nearest.text, label }, state: '' }
}

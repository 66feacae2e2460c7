import { useEffect, useState } from 'react'
import { tokenDistance } from '#shared/diff/token-diff.ts'
import { ask } from '../../app/core.ts'
import { plural } from '../../app/format.ts'
import { rolloutName } from './rollout-name.ts'

export type Nearest = { text: string; label: string; distance: number }
type Candidate = { rollout: string; text: string }

/** Right programs looked at, each of which costs a request; and for how long they are not asked for again. */
const candidateCount = 12
const freshMs = 60_000
const known = new Map<string, { at: number; candidates: Promise<Candidate[]> }>()

/**
 * The right program of the run that differs from `body` in the fewest tokens, where right means that training accepted it and the audit
 * agrees. `undefined` while it is looked for, null where there is none.
 */
export function useNearestRight(
  rollout: string,
  task: string,
  body: string | null,
): Nearest | null | undefined {
  const [found, setFound] = useState<{ body: string; nearest: Nearest | null }>()
  const run = rollout.split('/')[0] ?? ''
  useEffect(() => {
    if (body === null) return
    let dropped = false
    const search = async () => {
      const candidates = await candidatesOf(run, task)
      if (!dropped) setFound({ body, nearest: nearestOf(candidates, body) })
    }
    search().catch(() => dropped || setFound({ body, nearest: null }))
    return () => {
      dropped = true
    }
  }, [run, task, body])
  return found !== undefined && found.body === body ? found.nearest : undefined
}

function nearestOf(candidates: Candidate[], body: string): Nearest | null {
  const others = candidates.filter((candidate) => candidate.text !== body)
  const measured = others.map(({ rollout, text }) => ({ rollout, text, distance: tokenDistance(body, text) }))
  const nearest = measured.sort((a, b) => a.distance - b.distance)[0]
  if (nearest === undefined) return null
  const { rollout, text, distance } = nearest
  return {
    text,
    distance,
    label: `nearest right, ${plural(distance, 'token')} away: ${rolloutName(rollout)}`,
  }
}

function candidatesOf(run: string, task: string): Promise<Candidate[]> {
  const key = `${run} ${task}`
  const held = known.get(key)
  if (held && performance.now() - held.at < freshMs) return held.candidates
  const candidates = findCandidates(run, task)
  known.set(key, { at: performance.now(), candidates })
  // A failure is not kept: the next body asks again.
  candidates.catch(() => known.delete(key))
  return candidates
}

async function findCandidates(run: string, task: string): Promise<Candidate[]> {
  const filter = `task:${task} status:passed audit=1`
  const page = await ask('rollouts.page', { run, filter, cursor: null, limit: 400 })
  const distinct = new Map(page.rows.map((row) => [row.bodySha256, row.rollout]))
  const details = await Promise.all(
    [...distinct.values()].slice(0, candidateCount).map((rollout) => ask('rollouts.get', { rollout })),
  )
  return details.flatMap(({ row, body }) => (body === null ? [] : [{ rollout: row.rollout, text: body }]))
}

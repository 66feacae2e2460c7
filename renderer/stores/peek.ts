import { create } from 'zustand'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import type { LiveData } from './live-data.ts'
import { singleFlight } from './single-flight.ts'

/** Details kept: as many as a hand moves over and back again; each is a few kilobytes. */
const kept = 64

type PeekState = { wanted: string | null; detail: RolloutDetail | null; error: ErrorInfo | null }

export const usePeek = create<PeekState>()(() => ({ wanted: null, detail: null, error: null }))

const cache = new Map<string, RolloutDetail>()

/** Begins with the rollout and changes with all that makes an older detail stale: its grade, its audit, and its step's end, which gives it its advantage. */
export function peekKey(data: LiveData, rollout: string): string {
  const point = data.point(rollout)
  const isStepOver = point !== null && (data.step(point.step)?.finishedAt ?? null) !== null
  return `${rollout} ${point?.s} ${point?.a} ${isStepOver}`
}

/** Shows a rollout, from memory where it is there under its `peekKey`. */
export function peekAt(rollout: string | null, key: string): void {
  if (rollout === null) {
    usePeek.setState({ wanted: null, detail: null, error: null })
    return
  }
  const held = cache.get(key)
  if (held) usePeek.setState({ wanted: key, detail: held, error: null })
  else {
    usePeek.setState({ wanted: key })
    pull()
  }
}

/** While the hand moves, only the mark it is on when the core has answered is asked for; those passed over are not. */
const pull = singleFlight(async () => {
  const key = usePeek.getState().wanted
  if (key === null) return
  try {
    const detail = await ask('rollouts.get', { rollout: key.split(' ')[0] ?? '' })
    cache.set(key, detail)
    const [oldest] = cache.keys()
    if (cache.size > kept && oldest !== undefined) cache.delete(oldest)
    if (usePeek.getState().wanted === key) usePeek.setState({ detail, error: null })
  } catch (thrown) {
    if (usePeek.getState().wanted === key) usePeek.setState({ detail: null, error: toAppError(thrown).info })
  }
})

import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { Heartbeat } from '#shared/ipc/contract.ts'
import type { RunState } from '#shared/journal/state.ts'
import type { TailHealth } from '../telemetry/tail.ts'

/** A trainer writes at least once a step; silence beyond this is worth a look, though no fault yet. */
const quietMs = 30_000

export type Pulse = {
  state: Pick<RunState, 'phase' | 'lastAt' | 'outcome' | 'blocks'>
  /** Null where the run is not followed. */
  tail: TailHealth | null
  verifier: VerifierHealth | null
  /** False where the trainer's process is certainly gone. */
  trainerAlive: boolean | null
  /** Pieces of evidence that are named and not here. */
  gaps: number
  now: Date
}

/** Whether the three that must be heard are: the trainer by its events, the verifier by its health, the log by its bytes. */
export function heartbeatsOf(pulse: Pulse): Heartbeat[] {
  return [trainer(pulse), verifier(pulse), log(pulse)]
}

function trainer({ state, tail, trainerAlive, now }: Pulse): Heartbeat {
  const beat = (is: Heartbeat['state'], detail: string): Heartbeat => ({
    name: 'trainer',
    lastAt: state.lastAt,
    state: is,
    detail,
  })
  if (state.phase === 'finished') return beat('ended', state.outcome ?? 'finished')
  if (trainerAlive === false) return beat('lost', 'its process is gone')
  if (tail?.state === 'lost') return beat('lost', tail.detail)
  if (state.phase === 'blocked')
    return beat('blocked', state.blocks.at(-1)?.reason ?? 'waits for the verifier')
  if (state.lastAt === null) return beat('quiet', 'has not written yet')
  const silentMs = now.getTime() - Date.parse(state.lastAt)
  return silentMs > quietMs
    ? beat('quiet', `no event for ${Math.round(silentMs / 1000)} s`)
    : beat('live', '')
}

function verifier({ state, verifier: health, now }: Pulse): Heartbeat {
  const beat = (is: Heartbeat['state'], detail: string): Heartbeat => ({
    name: 'verifier',
    lastAt: health ? now.toISOString() : null,
    state: is,
    detail,
  })
  if (health)
    return health.ready
      ? beat('live', `${health.executed} executed, ${health.queue} queued`)
      : beat('quiet', 'getting ready')
  if (state.phase === 'finished') return beat('ended', '')
  return state.phase === 'blocked' ? beat('lost', 'does not answer') : beat('quiet', 'not heard of yet')
}

function log({ state, tail, gaps }: Pulse): Heartbeat {
  const missing = gaps === 0 ? '' : `${gaps} ${gaps === 1 ? 'piece' : 'pieces'} of evidence still missing`
  const lastAt = tail?.lastHeardAt?.toISOString() ?? null
  const beat = (is: Heartbeat['state'], detail: string): Heartbeat => ({
    name: 'log',
    lastAt,
    state: is,
    detail,
  })
  if (tail?.state === 'lost') return beat(state.phase === 'finished' ? 'ended' : 'lost', tail.detail)
  if (state.phase === 'finished') return beat('ended', missing)
  return tail?.state === 'live' ? beat('live', missing) : beat('quiet', tail?.detail ?? 'not followed')
}

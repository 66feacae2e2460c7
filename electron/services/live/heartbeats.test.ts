import { expect, test } from 'vitest'
import type { VerifierHealth } from '#shared/domain/verifier.ts'
import type { TailHealth } from '../telemetry/tail.ts'
import { heartbeatsOf, type Pulse } from './heartbeats.ts'

const now = new Date('2026-11-29T12:01:00Z')
const heard = new Date('2026-11-29T12:00:59Z')
const tail: TailHealth = { state: 'live', detail: '', offset: 9, sizeBytes: 9, lastHeardAt: heard }
const health = { ready: true, executed: 12, queue: 3 } as VerifierHealth
const running: Pulse = {
  state: { phase: 'running', lastAt: '2026-11-29T12:00:50Z', outcome: null, blocks: [] },
  tail,
  verifier: health,
  trainerAlive: true,
  gaps: 0,
  now,
}
const block = { since: '', until: null, reason: 'connection refused', attempts: 4, step: 1 }

const beats = (change: Partial<Pulse>, state: Partial<Pulse['state']> = {}) =>
  heartbeatsOf({ ...running, ...change, state: { ...running.state, ...state } }).map(
    (beat) => `${beat.name} ${beat.state}${beat.detail === '' ? '' : `: ${beat.detail}`}`,
  )

test('each of the three is heard or not for its own reason, and silence is never taken for life', () => {
  expect(beats({})).toEqual(['trainer live', 'verifier live: 12 executed, 3 queued', 'log live'])
  expect(beats({}, { lastAt: '2026-11-29T12:00:00Z' })[0]).toBe('trainer quiet: no event for 60 s')
  expect(beats({ verifier: null }, { phase: 'blocked', blocks: [block] })).toEqual([
    'trainer blocked: connection refused',
    'verifier lost: does not answer',
    'log live',
  ])
  expect(beats({ trainerAlive: false })[0]).toBe('trainer lost: its process is gone')
  expect(beats({ tail: { ...tail, state: 'lost', detail: 'The box does not answer.' } })).toEqual([
    'trainer lost: The box does not answer.',
    'verifier live: 12 executed, 3 queued',
    'log lost: The box does not answer.',
  ])
  expect(beats({ verifier: null, gaps: 2, tail: null }, { phase: 'finished', outcome: 'completed' })).toEqual(
    ['trainer ended: completed', 'verifier ended', 'log ended: 2 pieces of evidence still missing'],
  )
  expect(beats({ verifier: null, tail: null }, { phase: 'pending', lastAt: null })).toEqual([
    'trainer quiet: has not written yet',
    'verifier quiet: not heard of yet',
    'log quiet: not followed',
  ])
})

test('times are those of the last event, the last answer and the last byte', () => {
  expect(heartbeatsOf(running).map((beat) => beat.lastAt)).toEqual([
    '2026-11-29T12:00:50Z',
    '2026-11-29T12:01:00.000Z',
    '2026-11-29T12:00:59.000Z',
  ])
})

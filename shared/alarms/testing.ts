import type { EventBody, RunEvent } from '../journal/events.ts'
import { RunReducer } from '../journal/reduce.ts'
import type { SampleOptions } from '../journal/sample-program.ts'
import { sampleEvents } from '../journal/sample-run.ts'
import type { AlarmFacts } from './alarm.ts'

/** A well-formed stand-in for a hash, since this folder has none. */
const hash = (text: string): string => {
  let state = 2166136261
  let out = ''
  for (let round = 0; out.length < 64; round += 1) {
    for (const char of `${round}${text}`) state = Math.imul(state ^ char.charCodeAt(0), 16777619) >>> 0
    out += state.toString(16).padStart(8, '0')
  }
  return out
}

export const sample: SampleOptions = {
  run: 'r-20261129-abcdef',
  seed: 5,
  steps: 40,
  groupsPerStep: 4,
  groupSize: 4,
  evalDraws: 4,
  tests: 6,
  programs: 60,
  silentEvery: 0,
  hash,
}

export type Edit = (event: RunEvent) => RunEvent | RunEvent[] | null

/** A journal of the sample run with its events changed; what follows a removed or added event is numbered anew, so that no gap is left. */
export function* edited(edit: Edit, options: SampleOptions = sample): Generator<RunEvent> {
  let seq = 0
  for (const event of sampleEvents(options)) {
    for (const one of [edit(event) ?? []].flat()) yield { ...one, seq: seq++ }
  }
}

export const like = (event: RunEvent, body: EventBody): RunEvent =>
  ({ v: 1, seq: event.seq, at: event.at, run: event.run, ...body }) as RunEvent

/** What the console knows after a journal: read to its end, a second after its last line. */
export function factsOf(events: Iterable<RunEvent>, more: Partial<AlarmFacts> = {}): AlarmFacts {
  const reducer = new RunReducer()
  for (const event of events) reducer.apply({ kind: 'event', event, raw: event }, 0)
  const { steps, memory, ...state } = reducer.state
  return {
    state,
    steps,
    memory,
    verifier: null,
    restarts: 0,
    heldOut: () => null,
    falseAcceptances: { count: 0, firstStep: null },
    nowMs: Date.parse(state.lastAt ?? '') + 1000,
    ...more,
  }
}

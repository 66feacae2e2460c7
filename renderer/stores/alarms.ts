import type { Alarm, AlarmFacts, AlarmLink } from '#shared/alarms/alarm.ts'
import { type AlarmEpisode, AlarmScan } from '#shared/alarms/scan.ts'
import type { AlarmMark } from '#shared/ipc/contract.ts'
import type { Route } from '../app/routes.ts'
import type { LiveData } from './live-data.ts'

export type ShownAlarm = Alarm & { mark: AlarmMark['mark'] | null }

/** One scan for each run's data: it goes on where it was, so a pull costs what it brought. */
const scans = new WeakMap<LiveData, { scan: AlarmScan; version: number; episodes: AlarmEpisode[] }>()

const scanOf = (data: LiveData) => {
  const held = scans.get(data) ?? { scan: new AlarmScan(), version: -1, episodes: [] }
  scans.set(data, held)
  return held
}

/** What is known of the run, for the rules; null before the first reply. @param nowMs the core's clock. */
function factsOf(data: LiveData, nowMs: number): AlarmFacts | null {
  const { head, steps, memory, verifier, restarts, falseAccepted } = data
  if (!head) return null
  return {
    state: head,
    steps,
    memory,
    verifier,
    restarts,
    heldOut: (step) => data.auditShare(step),
    falseAcceptances: falseAccepted,
    nowMs,
  }
}

/** Takes in what a reply brought, so that a long run's steps are not all looked at in the one moment in which they are drawn. */
export function scanAlarms(data: LiveData): void {
  const facts = factsOf(data, 0)
  if (facts) scanOf(data).scan.look(facts)
}

/** Worst first. What is acknowledged comes last, what is muted is left out unless it is asked for. */
export function alarmsOf(data: LiveData, nowMs: number, withMuted = false): ShownAlarm[] {
  const facts = factsOf(data, nowMs)
  if (!facts) return []
  const shown = scanOf(data)
    .scan.alarms(facts)
    .map((alarm): ShownAlarm => ({ ...alarm, mark: markOf(alarm, data.alarmMarks) }))
  const open = shown.filter(({ mark }) => mark === null)
  const seen = shown.filter(({ mark }) => mark === 'acknowledged')
  return [...open, ...seen, ...(withMuted ? shown.filter(({ mark }) => mark === 'muted') : [])]
}

/** Stretches of steps in which something was wrong, for the step axis. Muted ones are not marked. */
export function episodesOf(data: LiveData): AlarmEpisode[] {
  const held = scanOf(data)
  const facts = factsOf(data, 0)
  if (!facts) return []
  if (held.version !== data.version) {
    held.version = data.version
    held.episodes = held.scan.episodes(facts)
  }
  const muted = new Set(data.alarmMarks.filter(({ mark }) => mark === 'muted').map(({ code }) => code))
  return held.episodes.filter(({ code }) => !muted.has(code))
}

/** A mute holds for every occurrence of a code in the run, an acknowledgement for the one that it was of. */
function markOf(alarm: Alarm, marks: readonly AlarmMark[]): AlarmMark['mark'] | null {
  const said = marks.find(({ code }) => code === alarm.code)
  if (!said || (said.mark === 'acknowledged' && said.since !== alarm.since)) return null
  return said.mark
}

export function routeOf(run: string, link: AlarmLink): Route {
  return link.view === 'rollouts' ? { view: 'rollouts', run, filter: link.filter } : { view: link.view, run }
}

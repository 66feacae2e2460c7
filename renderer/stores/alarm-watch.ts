import { ask } from '../app/core.ts'
import { alarmsOf } from './alarms.ts'
import { liveData, useLive } from './live.ts'
import { LiveData } from './live-data.ts'
import { canNotify, notify } from './notify.ts'
import { useRuns } from './runs.ts'
import { useSettings } from './settings.ts'
import { singleFlight } from './single-flight.ts'

/** Each run watched without being looked at costs what Live holds of one, some 30 MB for a very long one; more than these few go on at once seldom. */
const mostRuns = 4

type Watched = { data: LiveData; known: Set<string> | null }
const watched = new Map<string, Watched>()

/**
 * Tells the desktop of errors of every run under way, whatever view is open, where the person allowed that. An error that was there when the window
 * began to look is on its screen already and is not told.
 */
export const lookForErrors = singleFlight(async () => {
  if (!useSettings.getState().notify || !canNotify()) return watched.clear()
  const going = (useRuns.getState().runs ?? [])
    .filter(({ phase }) => phase === 'running' || phase === 'blocked')
    .slice(0, mostRuns)
    .map(({ run }) => run)
  for (const run of watched.keys()) if (!going.includes(run)) watched.delete(run)
  for (const run of going) await lookAt(run)
})

async function lookAt(run: string): Promise<void> {
  const held = watched.get(run) ?? { data: new LiveData(), known: null }
  watched.set(run, held)
  const isOpen = useLive.getState().run === run && liveData().head !== null
  const data = isOpen ? liveData() : held.data
  try {
    if (!isOpen) await pull(run, data)
  } catch {
    // A core that does not answer says so elsewhere; what it knows then comes with the next look.
    return
  }
  const errors = alarmsOf(data, Date.now() + data.clockOffsetMs).filter(
    ({ level, mark }) => level === 'error' && mark === null,
  )
  const before = held.known
  held.known = new Set(errors.map(({ code, since }) => `${code} ${since}`))
  if (before === null) return
  for (const alarm of errors) if (!before.has(`${alarm.code} ${alarm.since}`)) notify(run, alarm)
}

async function pull(run: string, data: LiveData): Promise<void> {
  for (let more = true; more; ) {
    const delta = await ask('live.since', { run, afterSeq: data.seq })
    data.apply(delta, Date.now())
    more = delta.more
  }
}

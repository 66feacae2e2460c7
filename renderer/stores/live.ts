import { useContext, useRef } from 'react'
import { create } from 'zustand'
import { Emitter } from '#shared/base/emitter.ts'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import { ask } from '../app/core.ts'
import { nextTask } from '../app/next-task.ts'
import { scanAlarms } from './alarms.ts'
import { LiveData } from './live-data.ts'
import { Shown } from './shown.ts'
import { singleFlight } from './single-flight.ts'

/**
 * Between two pulls, ms: two frames of a screen, so that what a pull brought is drawn before the next. A window that takes longer to draw waits as long
 * again, and so is never more than half busy: what comes meanwhile is in the next reply. One that nobody sees looks now and then.
 */
const pullGapMs = 33
const hiddenGapMs = 1000
/** After a pull that failed. The screen keeps what was known. */
const retryMs = 2000

type LiveState = {
  run: string | null
  /** Of the data, so that a component that reads it is drawn anew. */
  version: number
  error: ErrorInfo | null
  watchedSince: number
}

export const useLive = create<LiveState>()(() => ({ run: null, version: 0, error: null, watchedSince: 0 }))

let data = new LiveData()

/** Told after every change of the data; painters redraw then and at no other time. */
export const onDidChangeLive = new Emitter<void>()

export const liveData = (): LiveData => data

/** The data, in a component that is drawn anew when it changed, or when it comes into view after it did. */
export function useLiveData(): LiveData {
  const shown = useContext(Shown)
  const drawn = useRef(-1)
  drawn.current = useLive((state) => (shown || drawn.current === -1 ? state.version : drawn.current))
  return data
}

/** Watches a run from now on, in place of the one watched before. */
export function watchRun(run: string | null): void {
  if (useLive.getState().run === run) return
  data = new LiveData()
  useLive.setState({ run, version: 0, error: null, watchedSince: Date.now() })
  if (run !== null) pullLive()
}

/** Pulls what changed: one request under way at most, and everything that came meanwhile in the one after it. */
export const pullLive = singleFlight(async () => {
  const { run } = useLive.getState()
  if (run === null) return
  try {
    let more = true
    while (more && useLive.getState().run === run) {
      const delta = await ask('live.since', { run, afterSeq: data.seq })
      // A reply is read, taken in, looked through and drawn each for itself, so that a hand waits for one of them at most.
      await nextTask()
      if (useLive.getState().run !== run) return
      data.apply(delta, Date.now())
      await nextTask()
      scanAlarms(data)
      data.bringUp()
      more = delta.more
    }
    await nextTask()
    if (useLive.getState().run !== run) return
    useLive.setState({ version: data.version, error: null })
    onDidChangeLive.emit()
  } catch (thrown) {
    failed(run, toAppError(thrown))
  }
  await settled()
})

/** Resolves when what was pulled has been drawn, and as much time has gone by again. */
async function settled(): Promise<void> {
  if (typeof document !== 'undefined' && document.hidden) return pause(hiddenGapMs)
  const began = performance.now()
  if (typeof requestAnimationFrame !== 'undefined') await drawn()
  await pause(Math.max(pullGapMs, performance.now() - began))
}

/** The second frame begins when the first has been drawn. A page may go out of sight meanwhile, and then has no frames. */
const drawn = () =>
  Promise.race([
    new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    pause(hiddenGapMs),
  ])

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

function failed(run: string, error: ReturnType<typeof toAppError>): void {
  if (useLive.getState().run !== run) return
  useLive.setState({ error: error.info })
  if (error.retryable) setTimeout(pullLive, retryMs)
}

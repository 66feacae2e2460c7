import { create } from 'zustand'
import { Emitter } from '#shared/base/emitter.ts'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import { ask } from '../app/core.ts'
import { LiveData } from './live-data.ts'
import { singleFlight } from './single-flight.ts'

/** Between two pulls, ms: short enough that a mark seems to appear at once, long enough that redraws leave a slow machine most of its time. */
const pullGapMs = 120
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

/** The data, in a component that is drawn anew when it changed. */
export function useLiveData(): LiveData {
  useLive((state) => state.version)
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
      if (useLive.getState().run !== run) return
      data.apply(delta, Date.now())
      more = delta.more
    }
    useLive.setState({ version: data.version, error: null })
    onDidChangeLive.emit()
  } catch (thrown) {
    failed(run, toAppError(thrown))
  }
  await new Promise((resolve) => setTimeout(resolve, pullGapMs))
})

function failed(run: string, error: ReturnType<typeof toAppError>): void {
  if (useLive.getState().run !== run) return
  useLive.setState({ error: error.info })
  if (error.retryable) setTimeout(pullLive, retryMs)
}

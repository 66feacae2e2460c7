import { create } from 'zustand'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { singleFlight } from './single-flight.ts'

type RunsState = { runs: RunSummary[] | null; error: ErrorInfo | null }

export const useRuns = create<RunsState>()(() => ({ runs: null, error: null }))

/** Pulls the list anew; calls while one is under way are answered by one more pull after it. */
export const pullRuns = singleFlight(async () => {
  try {
    const runs = await ask('runs.list', {})
    useRuns.setState({ runs, error: null })
  } catch (thrown) {
    useRuns.setState({ error: toAppError(thrown).info })
  }
})

/** The summary of a run, null while the list is unknown or the run is not in it. */
export const useRunSummary = (run: string | null): RunSummary | null =>
  useRuns((state) => state.runs?.find((summary) => summary.run === run) ?? null)

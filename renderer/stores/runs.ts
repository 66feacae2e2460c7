import { create } from 'zustand'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { RunSummary } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { singleFlight } from './single-flight.ts'

type RunsState = { runs: RunSummary[] | null; error: ErrorInfo | null }

export const useRuns = create<RunsState>()(() => ({ runs: null, error: null }))

/** Between two pulls of the list, ms: a run that advances many times a second must not make the core sum up all runs as often. */
const pullGapMs = 1000

/** Pulls the list anew; calls while one is under way, and shortly after, are answered by one more pull. */
export const pullRuns = singleFlight(async () => {
  try {
    const runs = await ask('runs.list', {})
    useRuns.setState({ runs, error: null })
  } catch (thrown) {
    useRuns.setState({ error: toAppError(thrown).info })
  }
  await new Promise((resolve) => setTimeout(resolve, pullGapMs))
})

/** The summary of a run, null while the list is unknown or the run is not in it. */
export const useRunSummary = (run: string | null): RunSummary | null =>
  useRuns((state) => state.runs?.find((summary) => summary.run === run) ?? null)

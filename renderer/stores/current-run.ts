import { useEffect } from 'react'
import { rememberRun, useLastRun } from '../app/router.ts'
import { useRuns } from './runs.ts'

/**
 * The run that a view is about: the one its address names, else the one last looked at, else the newest.
 * Null while the list of runs is not there yet, or where there is none.
 */
export function useCurrentRun(named: string | null): string | null {
  const last = useLastRun()
  const newest = useRuns((state) => state.runs?.[0]?.run ?? null)
  const run = named ?? last ?? newest
  useEffect(() => {
    if (run !== null && run !== last) rememberRun(run)
  }, [run, last])
  return run
}

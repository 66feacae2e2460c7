import { create } from 'zustand'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { LaunchDraft, LaunchOptions, PreflightReport, PreflightRow } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'

export type LaunchState = {
  options: LaunchOptions | null
  draft: LaunchDraft | null
  rows: PreflightRow[]
  /** Of the last check; null before one, and while one goes on. */
  verdict: PreflightReport['verdict'] | null
  /** The draft that the rows are about, as text: a later change makes them old. */
  checked: string | null
  busy: 'no' | 'checking' | 'starting'
  error: ErrorInfo | null
}

const idle: LaunchState = {
  options: null,
  draft: null,
  rows: [],
  verdict: null,
  checked: null,
  busy: 'no',
  error: null,
}

export const useLaunch = create<LaunchState>()(() => idle)

/** Fetches what there is to choose from; a draft that a person has begun is kept. */
export async function loadLaunchOptions(): Promise<void> {
  try {
    const options = await ask('launch.options', {})
    // What an earlier start failed of stays on the screen; only a failure to fetch these options is over.
    useLaunch.setState((held) => ({
      options,
      draft: held.draft ?? options.defaults,
      error: held.options ? held.error : null,
    }))
  } catch (thrown) {
    useLaunch.setState({ error: toAppError(thrown).info })
  }
}

export function changeDraft(changes: Partial<LaunchDraft>): void {
  useLaunch.setState(({ draft }) => (draft ? { draft: { ...draft, ...changes }, error: null } : {}))
}

/** A typed reason to launch although a check failed; an empty one takes it back. */
export function overrideCheck(check: string, reason: string): void {
  useLaunch.setState(({ draft }) => {
    if (!draft) return {}
    const others = draft.overrides.filter((override) => override.check !== check)
    const overrides = reason.trim() === '' ? others : [...others, { check, reason }]
    return { draft: { ...draft, overrides } }
  })
}

/** Takes in one row as it becomes known. */
export function putPreflightRow(row: PreflightRow): void {
  useLaunch.setState(({ rows }) => {
    const at = rows.findIndex((held) => held.check === row.check)
    return { rows: at === -1 ? [...rows, row] : rows.with(at, row) }
  })
}

/** Looks at everything that a launch of the draft needs, and starts nothing. */
export async function checkDraft(): Promise<void> {
  const { draft, busy } = useLaunch.getState()
  if (!draft || busy !== 'no') return
  begin('checking', draft)
  try {
    const report = await ask('launch.preflight', { draft })
    useLaunch.setState({ rows: report.rows, verdict: report.verdict, busy: 'no' })
  } catch (thrown) {
    useLaunch.setState({ error: toAppError(thrown).info, busy: 'no' })
  }
}

/** Checks and starts a run. @returns its id; null where it was not started, and then the rows or the error say why. */
export async function startRun(draft: LaunchDraft): Promise<string | null> {
  if (useLaunch.getState().busy !== 'no') return null
  begin('starting', draft)
  try {
    const { run } = await ask('launch.start', { draft })
    useLaunch.setState({ busy: 'no', rows: [], verdict: null, checked: null })
    return run
  } catch (thrown) {
    const error = toAppError(thrown)
    const failed = useLaunch.getState().rows.some((row) => row.state === 'failed')
    useLaunch.setState({ error: error.info, verdict: failed ? 'failed' : null, busy: 'no' })
    return null
  }
}

function begin(busy: 'checking' | 'starting', draft: LaunchDraft): void {
  useLaunch.setState({ busy, rows: [], verdict: null, error: null, checked: JSON.stringify(draft) })
}

/** Between two updates of the demo, ms: slow enough to see single rollouts come in, and the whole still takes about a minute. */
const demoPaceMs = 1000

/** The run that shows what the console is for, at a pace that an eye can follow. @returns its id, null where it was not started. */
export async function startDemo(): Promise<string | null> {
  if (!useLaunch.getState().options) await loadLaunchOptions()
  const { options } = useLaunch.getState()
  if (!options) return null
  const draft = { ...options.defaults, paceMs: Math.max(demoPaceMs, options.defaults.paceMs) }
  useLaunch.setState({ draft })
  return startRun(draft)
}

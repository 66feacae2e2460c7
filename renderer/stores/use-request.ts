import { useCallback, useEffect, useState } from 'react'
import type { z } from 'zod'
import type { ErrorInfo } from '#shared/base/errors.ts'
import { toAppError } from '#shared/base/errors.ts'
import type { inputs, Outputs, RequestName } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'

export type Asked<T> = {
  value: T | null
  error: ErrorInfo | null
  /** Whether there is an answer, which may itself be null. */
  answered: boolean
  /** Asks again; what there is stays until the answer. */
  reload: () => void
}

/**
 * The answer to one request for as long as the view is there. It is asked again when the input changes, and, at most every `pauseMs`, when
 * `signal` does; an answer that comes after a newer question is dropped. Nothing is asked while the input is null.
 */
export function useRequest<N extends RequestName>(
  name: N,
  input: z.input<(typeof inputs)[N]> | null,
  signal: number = 0,
  pauseMs = 1000,
): Asked<Outputs[N]> {
  const key = input === null ? null : JSON.stringify(input)
  const [state, setState] = useState<{
    key: string | null
    value: Outputs[N] | null
    error: ErrorInfo | null
  }>({
    key: null,
    value: null,
    error: null,
  })
  const [turn, setTurn] = useState(0)
  const settled = useThrottled(signal, pauseMs)
  // biome-ignore lint/correctness/useExhaustiveDependencies: turn and settled say when to ask again; the input is compared by its text
  useEffect(() => {
    if (key === null) return
    let dropped = false
    const current = JSON.parse(key) as z.input<(typeof inputs)[N]>
    ask(name, current).then(
      (value) => dropped || setState({ key, value, error: null }),
      (thrown: unknown) =>
        dropped ||
        setState((before) => ({
          key,
          value: before.key === key ? before.value : null,
          error: toAppError(thrown).info,
        })),
    )
    return () => {
      dropped = true
    }
  }, [name, key, turn, settled])
  const reload = useCallback(() => setTurn((count) => count + 1), [])
  const fresh = state.key === key
  return {
    value: fresh ? state.value : null,
    error: fresh ? state.error : null,
    answered: fresh && state.error === null && key !== null,
    reload,
  }
}

/** `value`, but changing at most once in `pauseMs`; the last change is never lost. */
export function useThrottled(value: number, pauseMs: number): number {
  const [shown, setShown] = useState(value)
  const [changedAt, setChangedAt] = useState(0)
  useEffect(() => {
    if (value === shown) return
    const wait = Math.max(0, changedAt + pauseMs - performance.now())
    const timer = setTimeout(() => {
      setShown(value)
      setChangedAt(performance.now())
    }, wait)
    return () => clearTimeout(timer)
  }, [value, shown, changedAt, pauseMs])
  return shown
}

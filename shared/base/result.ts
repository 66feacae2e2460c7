import { type ErrorInfo, toAppError } from './errors.ts'

/** A reply that is either a value or a failure, as it crosses IPC and sockets. */
export type Result<T> = { ok: true; value: T } | { ok: false; error: ErrorInfo }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })

/** Runs `work` and turns whatever it throws into a failed result. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work())
  } catch (thrown) {
    return { ok: false, error: toAppError(thrown).info }
  }
}

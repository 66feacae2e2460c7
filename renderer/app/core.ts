import type { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { Bridge, inputs, Outputs, RequestName } from '#shared/ipc/contract.ts'

let bridge: Bridge | null = null

/** Gives the window its one way to the core. Called once, before anything is drawn. */
export function provideCore(given: Bridge): void {
  bridge = given
}

export function core(): Bridge {
  if (!bridge) throw new AppError('internal', 'The window asked for its core before it had one.')
  return bridge
}

/** One request. @throws {AppError} as the core gave it, for `Failure` to show. */
export async function ask<N extends RequestName>(
  name: N,
  input: z.input<(typeof inputs)[N]>,
): Promise<Outputs[N]> {
  const result = await core().request(name, input)
  if (result.ok) return result.value
  throw new AppError(result.error.code, result.error.message, { hint: result.error.hint })
}

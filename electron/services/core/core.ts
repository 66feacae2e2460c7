import { AppError } from '#shared/base/errors.ts'
import type { Result } from '#shared/base/result.ts'
import {
  type BridgeEvents,
  type EventName,
  type Handlers,
  inputs,
  type RequestName,
} from '#shared/ipc/contract.ts'
import { createDispatch } from './dispatch.ts'

export type CoreOptions = {
  /** The data folder; see `dataFolder()` for the default. Created where it is missing. */
  home: string
  shell: 'electron' | 'browser' | 'command'
  version: string
  now?: () => Date
  /** Numbers in [0, 1), for run ids. */
  random?: () => number
  env?: NodeJS.ProcessEnv
}

/** The console without a shell around it: one a data folder. */
export type Core = {
  handlers: Handlers
  /** Parses `input` and answers; never throws. What every shell calls for a request that came from outside. */
  request(name: string, input: unknown): Promise<Result<unknown>>
  on<E extends EventName>(name: E, listener: (payload: BridgeEvents[E]) => void): () => void
  /** Stops watching and lets the data folder go. Runs go on by themselves. */
  dispose(): Promise<void>
}

/** @throws {AppError} `already_open` where another console has this data folder. */
export async function createCore(_options: CoreOptions): Promise<Core> {
  const handlers = Object.fromEntries(
    (Object.keys(inputs) as RequestName[]).map((name) => [
      name,
      () => {
        throw new AppError('internal', `${name} is not there yet.`)
      },
    ]),
  ) as unknown as Handlers
  return {
    handlers,
    request: createDispatch(handlers),
    on: () => () => {},
    dispose: async () => {},
  }
}

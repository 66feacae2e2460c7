import type { Core } from '#services/core/core.ts'
import { createDispatch } from '#services/core/dispatch.ts'
import { Emitter } from '#shared/base/emitter.ts'
import { AppError } from '#shared/base/errors.ts'
import { type BridgeEvents, type EventName, eventNames, type Handlers, inputs } from '#shared/ipc/contract.ts'

export type ScriptedCore = Core & {
  emit<E extends EventName>(name: E, payload: BridgeEvents[E]): void
  /** How many listeners are left. */
  listeners(): number
}

/** A core without services behind it, for tests of what lies in front: it parses inputs like the real one and answers as scripted. */
export function scriptedCore(handlers: Partial<Handlers>): ScriptedCore {
  const unscripted = Object.fromEntries(
    Object.keys(inputs).map((name) => [
      name,
      () => {
        throw new AppError('internal', `${name} is not scripted.`)
      },
    ]),
  ) as unknown as Handlers
  const all = { ...unscripted, ...handlers }
  const emitters = new Map(eventNames.map((name) => [name, new Emitter<unknown>()]))
  return {
    handlers: all,
    request: createDispatch(all),
    on: (name, listener) => emitters.get(name)?.on(listener as (payload: unknown) => void) ?? (() => {}),
    emit: (name, payload) => emitters.get(name)?.emit(payload),
    listeners: () => [...emitters.values()].reduce((sum, emitter) => sum + emitter.size, 0),
    dispose: async () => {},
  }
}

import { create } from 'zustand'
import { Emitter } from '#shared/base/emitter.ts'
import { type ErrorInfo, toAppError } from '#shared/base/errors.ts'
import type { BoxTest } from '#shared/domain/box.ts'
import type { BoxView } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { singleFlight } from './single-flight.ts'

type BoxesState = {
  boxes: BoxView[] | null
  error: ErrorInfo | null
  /** The last test of each box; `running` while one goes on. */
  tests: Record<string, BoxTest | 'running'>
  /** What an answer to a box's question met, by box. */
  faults: Record<string, ErrorInfo>
}

export const useBoxes = create<BoxesState>(() => ({ boxes: null, error: null, tests: {}, faults: {} }))

/** Which shell has something to read. */
export const shellAdvanced = new Emitter<string>()

export const pullBoxes = singleFlight(async () => {
  try {
    useBoxes.setState({ boxes: await ask('boxes.list', {}), error: null })
  } catch (thrown) {
    useBoxes.setState({ error: toAppError(thrown).info })
  }
})

export async function testBox(box: string): Promise<void> {
  useBoxes.setState(({ tests, faults }) => ({
    tests: { ...tests, [box]: 'running' },
    faults: without(faults, box),
  }))
  const done = await attempt(box, () => ask('boxes.test', { box }))
  useBoxes.setState(({ tests }) => ({ tests: done ? { ...tests, [box]: done } : without(tests, box) }))
}

/** @returns why the target was refused; null where the box is there. */
export async function addBox(target: string): Promise<ErrorInfo | null> {
  try {
    const box = await ask('boxes.add', { target })
    void testBox(box.id)
    return null
  } catch (thrown) {
    return toAppError(thrown).info
  }
}

/** Answers a box's question and tests it again, so that the next step shows. */
export async function trustKey(box: string, fingerprint: string): Promise<void> {
  await attempt(box, () => ask('boxes.trust', { box, fingerprint }))
  await testBox(box)
}

export async function unlockKey(box: string, passphrase: string): Promise<void> {
  if (await attempt(box, () => ask('boxes.unlock', { box, passphrase }))) await testBox(box)
}

export async function removeBox(box: string): Promise<void> {
  await attempt(box, () => ask('boxes.remove', { box }))
}

async function attempt<T>(box: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (thrown) {
    const fault = toAppError(thrown).info
    useBoxes.setState(({ faults }) => ({ faults: { ...faults, [box]: fault } }))
    return null
  }
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

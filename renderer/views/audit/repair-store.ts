import { toast } from 'sonner'
import { create } from 'zustand'
import { toAppError } from '#shared/base/errors.ts'
import { ask } from '../../app/core.ts'

export type Work = 'explaining' | 'repairing' | 'regrading'

/** What is being made of the findings, by run; it goes on where the view is left. */
export const useWork = create<{ busy: Record<string, Work | undefined> }>()(() => ({ busy: {} }))

const say = (run: string, busy: Work | undefined) =>
  useWork.setState((state) => ({ busy: { ...state.busy, [run]: busy } }))

/** One piece of work a run; a second press of the key does not ask twice. */
export async function work(run: string, kind: Work, ask_: () => Promise<unknown>): Promise<void> {
  if (useWork.getState().busy[run] !== undefined) return
  say(run, kind)
  try {
    await ask_()
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  } finally {
    say(run, undefined)
  }
}

/** Smallest witnesses and known bodies with the same mistake, of every mechanism that has none yet. */
export const explain = (run: string): Promise<void> =>
  work(run, 'explaining', async () => {
    const { explained } = await ask('audit.explain', { run })
    if (explained === 0) toast('Every mechanism has its smallest witness.')
  })

export const repair = (run: string, cases: 'add' | 'swap'): Promise<void> =>
  work(run, 'repairing', () => ask('audit.repair', { run, cases }))

export async function nameMechanism(
  run: string,
  mechanism: string,
  name: string,
  description: string,
): Promise<void> {
  try {
    await ask('audit.name', { run, mechanism, name, description })
  } catch (thrown) {
    const { message, hint } = toAppError(thrown)
    toast.error(message, { description: hint })
  }
}

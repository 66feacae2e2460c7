import { create } from 'zustand'
import type { BoardSettings, BoxRate, UserSettings } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'

/** What is kept for the person, apart from the theme, which is in force before anything is drawn. */
export const useSettings = create<Omit<UserSettings, 'theme'>>()(() => ({
  board: { order: [], hidden: [], large: null },
  notify: false,
  rates: {},
}))

/** In force at once; a choice that cannot be kept still holds for this window. */
export function chooseBoard(changes: Partial<BoardSettings>): void {
  const board = { ...useSettings.getState().board, ...changes }
  useSettings.setState({ board })
  ask('settings.set', { board }).catch(() => undefined)
}

export function chooseNotify(notify: boolean): void {
  useSettings.setState({ notify })
  ask('settings.set', { notify }).catch(() => undefined)
}

/** What an hour of a box costs; null takes it away. */
export function chooseRate(box: string, rate: BoxRate | null): void {
  const { [box]: _, ...others } = useSettings.getState().rates
  const rates = rate === null ? others : { ...others, [box]: rate }
  useSettings.setState({ rates })
  ask('settings.set', { rates }).catch(() => undefined)
}

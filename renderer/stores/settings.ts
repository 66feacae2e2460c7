import { create } from 'zustand'
import type { BoardSettings, UserSettings } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'

/** What is kept for the person, apart from the theme, which is in force before anything is drawn. */
export const useSettings = create<Omit<UserSettings, 'theme'>>()(() => ({
  board: { order: [], hidden: [], large: null },
  notify: false,
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

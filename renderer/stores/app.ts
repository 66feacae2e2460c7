import { create } from 'zustand'
import type { AppInfo } from '#shared/ipc/contract.ts'
import { ask } from '../app/core.ts'
import { applyTheme, type ThemeChoice } from '../theme/theme.ts'

type AppState = {
  info: AppInfo | null
  /** Why the core is out of reach; null while it answers. */
  lost: string | null
}

export const useApp = create<AppState>()(() => ({ info: null, lost: null }))

/** Puts a theme in force at once and keeps the choice; a choice that cannot be kept still holds for this window. */
export function chooseTheme(choice: ThemeChoice): void {
  applyTheme(choice)
  ask('settings.set', { theme: choice }).catch(() => undefined)
}

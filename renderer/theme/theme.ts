import { create } from 'zustand'
import { type ThemeName, type Tokens, themes } from './tokens.ts'

export type ThemeChoice = 'system' | ThemeName

type ThemeState = { choice: ThemeChoice; name: ThemeName; tokens: Tokens }

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)')
const resolve = (choice: ThemeChoice): ThemeName =>
  choice === 'system' ? (systemDark().matches ? 'dark' : 'light') : choice

export const useTheme = create<ThemeState>()(() => ({ choice: 'system', name: 'dark', tokens: themes.dark }))

/** Puts a theme in force: custom properties on the root element for the style sheets, the store for the painters. */
export function applyTheme(choice: ThemeChoice): void {
  const name = resolve(choice)
  const root = document.documentElement
  root.dataset.theme = name
  root.style.colorScheme = name
  for (const [token, value] of Object.entries(themes[name])) {
    root.style.setProperty(
      `--${token.replaceAll('_', '-').replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`,
      value,
    )
  }
  useTheme.setState({ choice, name, tokens: themes[name] })
}

/** Follows the system's preference while the choice is `system`. @returns the end of it. */
export function followSystemTheme(): () => void {
  const query = systemDark()
  const onChange = () => {
    if (useTheme.getState().choice === 'system') applyTheme('system')
  }
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}

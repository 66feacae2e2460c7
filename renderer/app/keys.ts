import { useEffect, useRef } from 'react'
import { tinykeys } from 'tinykeys'
import { create } from 'zustand'

/**
 * One key binding, in tinykeys' grammar (`j`, `g r`, `$mod+k`, `Shift+?`). `show` is what stands in the footer and the help where the grammar
 * is not what a person reads; `footer` puts it among the few that the footer names.
 */
export type KeyBinding = {
  keys: string
  label: string
  run: (event: KeyboardEvent) => void
  show?: string
  footer?: boolean
  /** Also while a field has the focus. Off for plain letters, which belong to the field. */
  inFields?: boolean
}

export type KeyGroup = { id: number; name: string; bindings: KeyBinding[] }

export const useKeyGroups = create<{ groups: KeyGroup[] }>()(() => ({ groups: [] }))

let nextId = 1

/** Keys that work while the component is mounted. The newest group wins where two bind the same key. */
export function useKeys(name: string, bindings: KeyBinding[]): void {
  const latest = useRef(bindings)
  latest.current = bindings
  const shape = bindings.map((binding) => `${binding.keys}\t${binding.label}\t${binding.footer}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the group is registered anew only when what it binds changes, not at every render
  useEffect(() => {
    const id = nextId++
    const stable = latest.current.map((binding, index) => ({
      ...binding,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }))
    useKeyGroups.setState(({ groups }) => ({ groups: [...groups, { id, name, bindings: stable }] }))
    return () =>
      useKeyGroups.setState(({ groups }) => ({ groups: groups.filter((group) => group.id !== id) }))
  }, [name, shape])
}

/** Dispatches every key press of the window to the registered groups. @returns the end of it. */
export function followKeys(): () => void {
  let stop = listen(useKeyGroups.getState().groups)
  const unsubscribe = useKeyGroups.subscribe(({ groups }) => {
    stop()
    stop = listen(groups)
  })
  return () => {
    unsubscribe()
    stop()
  }
}

function listen(groups: KeyGroup[]): () => void {
  const map: Record<string, (event: KeyboardEvent) => void> = {}
  for (const { bindings } of groups) {
    for (const binding of bindings) {
      map[binding.keys] = (event) => {
        if (inField(event) && !binding.inFields) return
        if (document.querySelector('dialog[open]') && !binding.inFields) return
        event.preventDefault()
        binding.run(event)
      }
    }
  }
  return tinykeys(window, map, { ignore: () => false })
}

function inField(event: KeyboardEvent): boolean {
  const target = event.target
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input, textarea, select, .xterm *, .cm-content')
}

const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform)

/** A binding as key caps: `$mod+k` is `⌘ K` on a Mac and `Ctrl K` elsewhere. */
export function keyCaps(binding: Pick<KeyBinding, 'keys' | 'show'>): string[] {
  if (binding.show !== undefined) return binding.show.split(' ')
  return binding.keys.split(/[ +]/).map((part) => {
    if (part === '$mod') return isMac() ? '⌘' : 'Ctrl'
    if (part === 'Enter') return '↵'
    return part.length === 1 && binding.keys.includes('+') ? part.toUpperCase() : part
  })
}

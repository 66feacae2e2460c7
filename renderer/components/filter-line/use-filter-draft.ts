import { useCallback, useEffect, useRef, useState } from 'react'
import { type FilterFault, filterFault } from '#shared/rollouts/filter-edit.ts'

export type FilterDraft = {
  text: string
  fault: FilterFault | null
  set(text: string): void
  /** Puts a line in force now. */
  apply(text: string): void
}

/** Long enough that a half-typed number is not asked for, short enough to feel like the list follows the hand. */
const applyAfterMs = 250

/** The line as it is being typed: put in force by itself shortly after the last key, where it parses. */
export function useFilterDraft(value: string, onApply: (line: string) => void): FilterDraft {
  const [text, set] = useState(value)
  const fault = filterFault(text)
  const faulty = fault !== null
  // What comes back from the address is this line's own word, trimmed; taking it over would undo what was typed meanwhile.
  const said = useRef(value)
  useEffect(() => {
    if (value === said.current) return
    said.current = value
    set(value)
  }, [value])
  const apply = useCallback(
    (line: string) => {
      said.current = line.trim()
      onApply(said.current)
    },
    [onApply],
  )
  useEffect(() => {
    if (text.trim() === value || faulty || isUnderway(text)) return
    const timer = setTimeout(() => apply(text), applyAfterMs)
    return () => clearTimeout(timer)
  }, [text, value, faulty, apply])
  return { text, fault, set, apply }
}

/** Whether the line ends in a bare word: it may yet become a field's name, so it is searched for only on Enter or after a space. */
const isUnderway = (line: string) => /(?:^|\s)-?[^\s:<>=!"]+$/.test(line)

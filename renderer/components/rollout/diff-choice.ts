import { create } from 'zustand'

export type Against = 'reference' | 'sibling' | 'nearest' | 'previous' | 'nothing'

/** What bodies are held against, kept from one to the next. Until something is chosen, it is whatever is nearest. */
export const useDiffChoice = create<{ against: Against | null; formattingAside: boolean }>()(() => ({
  against: null,
  formattingAside: false,
}))

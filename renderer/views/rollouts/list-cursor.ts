import { create } from 'zustand'

type Cursor = {
  /** Which list the cursor stands in: another list starts at its top. */
  list: string
  index: number
}

/** Kept across views, so that coming back from a rollout finds the list where it was. */
export const useListCursor = create<Cursor>()(() => ({ list: '', index: 0 }))

import type { BoardSettings } from '#shared/ipc/contract.ts'

/** Panels in the person's order; one that the order does not know stands where it does by itself, after what precedes it. */
export function ordered<T extends string>({ order }: BoardSettings, all: readonly T[]): T[] {
  const known = order.filter((id): id is T => (all as readonly string[]).includes(id))
  const result = [...new Set(known)]
  for (const [at, id] of all.entries()) {
    if (result.includes(id)) continue
    const before = all.slice(0, at).findLast((other) => result.includes(other))
    result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, id)
  }
  return result
}

/** The order with one panel moved by a place among those that are shown. */
export function moved<T extends string>(board: BoardSettings, all: readonly T[], id: T, by: 1 | -1): T[] {
  const order = ordered(board, all)
  const shown = order.filter((other) => !board.hidden.includes(other))
  const other = shown[shown.indexOf(id) + by]
  if (other === undefined) return order
  return order.map((each) => (each === id ? other : each === other ? id : each))
}

export const hide = ({ hidden }: BoardSettings, id: string): string[] => [...new Set([...hidden, id])]
export const unhide = ({ hidden }: BoardSettings, id: string): string[] =>
  hidden.filter((other) => other !== id)

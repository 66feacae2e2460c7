import { AppError } from '#shared/base/errors.ts'
import type { Input } from '#shared/ipc/contract.ts'

export type Sort = Input<'rollouts.page'>['sort']

/**
 * The key of each order, ascending, with `n` (the order of first appearance in the journal) deciding between equals. Lowest reward and lowest audit
 * score first, slowest first; what is not known stands last.
 */
const keys: Record<Sort, string> = { order: 'n', reward: 'by_reward', audit: 'by_audit', ms: 'by_ms' }

export const sortKey = (sort: Sort): string => keys[sort]

export const orderBy = (sort: Sort, direction: 'ASC' | 'DESC' = 'ASC'): string =>
  sort === 'order' ? `n ${direction}` : `${keys[sort]} ${direction}, n ${direction}`

/** Rows on one side of a place in the list: a range of the order's index. */
export function beside(
  sort: Sort,
  operator: '<' | '<=' | '>',
  place: { key: number; n: number },
): { sql: string; values: number[] } {
  return sort === 'order'
    ? { sql: `n ${operator} ?`, values: [place.n] }
    : { sql: `(${keys[sort]}, n) ${operator} (?, ?)`, values: [place.key, place.n] }
}

/** Where a page ended: opaque to the window, and only good for the order that it was made in. */
export type Cursor = { sort: Sort; key: number; n: number }

export const writeCursor = ({ sort, key, n }: Cursor): string => `${sort}:${key}:${n}`

/** @throws {AppError} `bad_input` */
export function readCursor(text: string, sort: Sort): Cursor {
  const [name, key, n] = text.split(':')
  const cursor = { sort, key: Number(key), n: Number(n) }
  if (name !== sort || key === undefined || !Number.isFinite(cursor.key) || !Number.isInteger(cursor.n))
    throw new AppError('bad_input', `${text} is no cursor of a list in the order ${sort}.`)
  return cursor
}

import { AppError } from '#shared/base/errors.ts'
import type { Input } from '#shared/ipc/contract.ts'

export type Sort = Input<'rollouts.page'>['sort']

/**
 * The key of each order, ascending, with `n` (the order of first appearance in the journal) deciding between equals. Lowest reward and lowest audit
 * score first, slowest first; what is not known stands last.
 */
export const sortKeys: Record<Sort, string> = {
  order: 'n',
  reward: 'by_reward',
  audit: 'by_audit',
  ms: 'by_ms',
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

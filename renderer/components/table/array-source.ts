import { ok } from '#shared/base/result.ts'
import type { PageSource } from './row-cache.ts'

/** A list that is in memory already, for the same table. */
export function arraySource<Row>(rows: Row[]): PageSource<Row> {
  return async ({ skip, limit, cursor }) => {
    const from = Number(cursor ?? 0) + skip
    const end = from + limit
    return ok({
      rows: rows.slice(from, end),
      total: rows.length,
      next: end < rows.length ? String(end) : null,
    })
  }
}

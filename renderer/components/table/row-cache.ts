import { Emitter } from '#shared/base/emitter.ts'
import type { ErrorInfo } from '#shared/base/errors.ts'
import type { Result } from '#shared/base/result.ts'

/** Where a page starts: `skip` rows after the row that `cursor` names, or after the list's start. */
export type PageRequest = { cursor: string | null; skip: number; limit: number }
export type PageReply<Row> = { rows: Row[]; total: number; next: string | null }
export type PageSource<Row> = (request: PageRequest) => Promise<Result<PageReply<Row>>>

type Page<Row> = { rows: Row[]; next: string | null; usedAt: number; stale: boolean }

/**
 * A window on a list that is too long to hold. It keeps the pages last looked at and asks for others as they come into view: with the
 * cursor of the page before where that is known, by rows to skip from the nearest known cursor where it is not.
 */
export class RowCache<Row> {
  readonly changed = new Emitter<void>()
  total: number | null = null
  error: ErrorInfo | null = null
  private readonly pages = new Map<number, Page<Row>>()
  private readonly asked = new Set<number>()
  private clock = 0
  private wanted: [number, number] = [0, 0]
  private ended = false
  private readonly source: PageSource<Row>
  private readonly size: number
  private readonly keep: number

  /** @param keep pages held at most; fewer means less memory, more means that scrolling back is instant for longer. */
  constructor(source: PageSource<Row>, size = 200, keep = 12) {
    this.source = source
    this.size = size
    this.keep = keep
  }

  rowAt(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / this.size))?.rows[index % this.size]
  }

  /** Says that rows `[from, to)` are in view. */
  want(from: number, to: number): void {
    const first = Math.max(0, Math.floor(from / this.size))
    const last = Math.max(first, Math.floor(Math.max(from, to - 1) / this.size))
    this.wanted = [first, last]
    for (let page = first; page <= last; page++) {
      const held = this.pages.get(page)
      if (held) held.usedAt = ++this.clock
      if (!held || held.stale) void this.load(page)
    }
  }

  /** The list has changed: what is in view is fetched anew, in place, and what is not is forgotten. */
  refresh(): void {
    for (const [number, page] of this.pages) {
      if (number < this.wanted[0] || number > this.wanted[1]) this.pages.delete(number)
      else page.stale = true
    }
    for (let page = this.wanted[0]; page <= this.wanted[1]; page++) void this.load(page)
  }

  dispose(): void {
    this.ended = true
    this.pages.clear()
  }

  /** Pages held now, for tests of the bound. */
  get held(): number {
    return this.pages.size
  }

  private async load(number: number): Promise<void> {
    if (this.ended || this.asked.has(number)) return
    if (this.total !== null && number * this.size >= this.total && number > 0) return
    this.asked.add(number)
    const reply = await this.source(this.request(number))
    this.asked.delete(number)
    if (this.ended) return
    if (reply.ok) {
      this.error = null
      this.total = reply.value.total
      this.pages.set(number, {
        rows: reply.value.rows,
        next: reply.value.next,
        usedAt: ++this.clock,
        stale: false,
      })
      this.trim()
    } else {
      this.error = reply.error
    }
    this.changed.emit()
  }

  private request(number: number): PageRequest {
    let known = number - 1
    while (known >= 0) {
      const page = this.pages.get(known)
      if (page && !page.stale && page.next !== null) {
        return { cursor: page.next, skip: (number - known - 1) * this.size, limit: this.size }
      }
      known--
    }
    return { cursor: null, skip: number * this.size, limit: this.size }
  }

  private trim(): void {
    const [first, last] = this.wanted
    const spare = [...this.pages].filter(([number]) => number < first || number > last)
    spare.sort((a, b) => a[1].usedAt - b[1].usedAt)
    for (const [number] of spare.slice(0, Math.max(0, this.pages.size - this.keep))) this.pages.delete(number)
  }
}

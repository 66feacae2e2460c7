import { describe, expect, it } from 'vitest'
import { ok } from '#shared/base/result.ts'
import { type PageRequest, RowCache } from './row-cache.ts'

/** A list of `total` numbers whose cursors are the next row's number. */
function numbers(total: () => number) {
  const requests: PageRequest[] = []
  const source = async (request: PageRequest) => {
    requests.push(request)
    const from = Number(request.cursor ?? 0) + request.skip
    const rows = Array.from(
      { length: Math.max(0, Math.min(request.limit, total() - from)) },
      (_, i) => from + i,
    )
    const end = from + rows.length
    return ok({ rows, total: total(), next: end < total() ? String(end) : null })
  }
  return { requests, source }
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

describe('RowCache', () => {
  it('walks by cursors, jumps by skipping, and holds no more pages than it may', async () => {
    const list = numbers(() => 50_000)
    const cache = new RowCache(list.source, 100, 4)
    for (let from = 0; from < 1_000; from += 50) {
      cache.want(from, from + 40)
      await settled()
    }
    expect(cache.rowAt(985)).toBe(985)
    expect(cache.held).toBe(4)
    expect(list.requests.slice(0, 3)).toEqual([
      { cursor: null, skip: 0, limit: 100 },
      { cursor: '100', skip: 0, limit: 100 },
      { cursor: '200', skip: 0, limit: 100 },
    ])
    cache.want(40_010, 40_050)
    await settled()
    expect([cache.rowAt(40_010), list.requests.at(-1)]).toEqual([
      40_010,
      { cursor: '1000', skip: 39_000, limit: 100 },
    ])
    cache.want(0, 40)
    await settled()
    expect(cache.rowAt(7)).toBe(7)
  })

  it('asks for a page once, however often it is wanted', async () => {
    const list = numbers(() => 500)
    const cache = new RowCache(list.source, 100)
    for (let i = 0; i < 20; i++) cache.want(0, 30)
    await settled()
    cache.want(0, 30)
    await settled()
    expect(list.requests).toHaveLength(1)
  })

  it('keeps showing what is in view while it is fetched anew, and sees the list grow', async () => {
    let total = 30
    const list = numbers(() => total)
    const cache = new RowCache(list.source, 100)
    cache.want(0, 40)
    await settled()
    total = 45
    cache.refresh()
    expect([cache.rowAt(29), cache.rowAt(44)]).toEqual([29, undefined])
    await settled()
    expect([cache.total, cache.rowAt(44)]).toEqual([45, 44])
  })

  it('keeps the failure and the rows it had', async () => {
    const list = numbers(() => 30)
    let fails = false
    const cache = new RowCache<number>(async (request) => {
      if (!fails) return list.source(request)
      return { ok: false, error: { code: 'unreachable', message: 'gone', hint: '', retryable: true } }
    }, 100)
    cache.want(0, 30)
    await settled()
    fails = true
    cache.refresh()
    await settled()
    expect([cache.error?.message, cache.rowAt(3)]).toEqual(['gone', 3])
  })
})

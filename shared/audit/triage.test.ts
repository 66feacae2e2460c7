import { expect, it } from 'vitest'
import { nextOpen, type Reviewed } from './triage.ts'

it('looks at each of 40,000 rows at most twice for the next open one, wherever it is', () => {
  let looks = 0
  const rows = Array.from(
    { length: 40_000 },
    (_, i): Reviewed => ({
      bodySha256: `b${i}`,
      get key() {
        looks += 1
        return `b${i}`
      },
      get verdict() {
        looks += 1
        return i === 7 ? null : 'wrong'
      },
    }),
  )
  expect(nextOpen(rows, 'b8')).toBe('b7')
  expect(nextOpen(rows, 'b7')).toBe('b7')
  expect(looks).toBeLessThanOrEqual(2 * (40_000 + 20))
  expect(nextOpen([], null)).toBeNull()
})

it('passes over what has no body: there is nothing that a verdict could be about', () => {
  const row = (key: string, bodySha256: string | null): Reviewed => ({ key, bodySha256, verdict: null })
  expect(nextOpen([row('a', 'x'), row('b', null), row('c', 'y')], 'a')).toBe('c')
  expect(nextOpen([row('b', null)], null)).toBeNull()
})

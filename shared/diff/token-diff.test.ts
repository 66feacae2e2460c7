import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editSpans } from './myers.ts'
import { tokenDiff, tokenDistance } from './token-diff.ts'

const pieces = (
  a: string,
  b: string,
  ...rest: Parameters<typeof tokenDiff> extends [string, string, ...infer R] ? R : never
) => tokenDiff(a, b, ...rest).map((span) => [a.slice(span.fromA, span.toA), b.slice(span.fromB, span.toB)])

const body = (op: string) =>
  `def required_capacity(bookings):\n    ends, best = [], 0\n    for start, end in sorted(bookings):\n        while ends and ends[0] ${op} start:\n            heapq.heappop(ends)\n    return best\n`

describe('tokenDiff', () => {
  it('lights the one differing operator, whole', () => {
    expect(pieces(body('<'), body('<='))).toEqual([['<', '<=']])
  })

  it('lights two texts that share nothing as one block instead of scattered brackets', () => {
    const a = 'return sum(x for x in bookings)\n'
    const b = 'while queue: heappop(queue)[0] -= 1\n'
    expect(pieces(a, b)).toEqual([[a, b]])
    expect(tokenDiff(a, b).map((span) => span.whole)).toEqual([true])
  })

  it('sets white space aside, but not indentation where that is code', () => {
    const a = 'if x:\n    a = 1\n    b = 2\n'
    const b = 'if x:\n    a  =  1\n\nb = 2\n'
    expect(pieces(a, b, 'aside')).toEqual([])
    expect(
      pieces(a, b, 'aside_but_indentation').map(([left, right]) => [left?.trim(), right?.trim()]),
    ).toEqual([['', '']])
    expect(pieces(a, b).length).toBeGreaterThan(1)
  })

  it('always gives back the second text when its spans are applied to the first', () => {
    const source = fc.array(fc.constantFrom('a', ' ', '\n', '<', '<=', 'b1', '(', ')', '"s"', '    '), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(source, source, (left, right) => {
        const [a, b] = [left.join(''), right.join('')]
        let at = 0
        let built = ''
        for (const span of tokenDiff(a, b)) {
          built += a.slice(at, span.fromA) + b.slice(span.fromB, span.toB)
          at = span.toA
        }
        expect(built + a.slice(at)).toBe(b)
      }),
      { numRuns: 500 },
    )
  })
})

describe('editSpans', () => {
  it('finds as few edits as the dynamic programme does', () => {
    const item = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 24 })
    fc.assert(
      fc.property(item, item, (a, b) => {
        const edits = (editSpans(a, b, 100) ?? []).reduce(
          (sum, s) => sum + s.toA - s.fromA + s.toB - s.fromB,
          0,
        )
        expect(edits).toBe(a.length + b.length - 2 * longestCommon(a, b))
      }),
      { numRuns: 500 },
    )
  })

  it('gives up past its limit', () => {
    expect(editSpans([1, 2, 3, 4], [5, 6, 7, 8], 7)).toBeNull()
  })
})

it('counts differing tokens, white space apart', () => {
  expect(tokenDistance(body('<'), body('<='))).toBe(1)
  expect(tokenDistance('a  =  1', 'a = 1')).toBe(0)
})

function longestCommon(a: number[], b: number[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const x of a) {
    const next = [0]
    for (const [j, y] of b.entries())
      next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}

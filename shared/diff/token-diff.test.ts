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
    expect(pieces(a, b, 'other')).toEqual([])
    expect(pieces(a, b, 'python').map(([left, right]) => [left?.trim(), right?.trim()])).toEqual([['', '']])
    expect(pieces(a, b).length).toBeGreaterThan(1)
  })

  it.each([
    ['a call broken over lines', 'python', 'x = f(a, b)\n', 'x = f(\n    a,\n    b,\n)\n'],
    ['quotes', 'python', "x = 'a'\n", 'x = "a"\n'],
    [
      'a list within a call within a block',
      'python',
      'def f():\n    return g([1, 2])\n',
      'def f():\n    return g(\n        [\n            1,\n            2,\n        ]\n    )\n',
    ],
    ['a backslash', 'python', 'x = a + b\n', 'x = a + \\\n    b\n'],
    ['a Rust block', 'other', 'fn f() { g(a, b) }\n', 'fn f() {\n    g(\n        a,\n        b,\n    )\n}\n'],
  ] as const)('sets formatting aside: %s', (_, layout, a, b) => {
    expect(pieces(a, b, layout)).toEqual([])
    expect(pieces(b, a, layout)).toEqual([])
    expect(pieces(a, b).length).toBeGreaterThan(0)
  })

  it.each([
    ['a tuple of one', 'python', 'x = (a,)\n', 'x = (a)\n', [',', '']],
    ['Rust’s quotes', 'other', "x = 'a'\n", 'x = "a"\n', ["'a'", '"a"']],
    ['a string’s own spaces', 'python', 'x = "a b"\n', 'x = "ab"\n', ['"a b"', '"ab"']],
    ['one word in a broken call', 'python', 'x = f(a, b)\n', 'x = f(\n    a,\n    c,\n)\n', ['b', 'c']],
  ] as const)('does not take a difference for formatting: %s', (_, layout, a, b, piece) => {
    expect(pieces(a, b, layout)).toEqual([piece])
  })

  it('lights a change in 2 MB of text as the change alone, and looks at no line that is equal', () => {
    const line = (i: number) => `    value_${i % 977} = compute(${i})\n`
    const before = Array.from({ length: 40_000 }, (_, i) => line(i)).join('')
    const after = Array.from({ length: 40_000 }, (_, i) => line(i + 7)).join('')
    const [a, b] = [`${before}x = a < b\n${after}`, `${before}x = a <= b\n${after}`]
    expect(a.length).toBeGreaterThan(2_000_000)
    expect(pieces(a, b, 'python')).toEqual([['<', '<=']])
    expect(tokenDistance(a, b)).toBe(1)
    // Two texts of that size with nothing in common are one block, and are not matched at all.
    expect(tokenDiff(before, after.replaceAll('compute', 'other')).map((span) => span.whole)).toEqual([true])
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

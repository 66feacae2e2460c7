import { expect, test } from 'vitest'
import { type PeekLine, peekDiff } from './peek-diff.ts'

const text = (lines: PeekLine[]) =>
  lines.map(
    ({ sign, pieces }) => sign + pieces.map((piece) => (piece.lit ? `[${piece.text}]` : piece.text)).join(''),
  )

const body =
  'def f(xs):\n    a = 0\n    for x in xs:\n        while h and h[0] < x:\n            pop(h)\n    return a\n'

test('exactly the token that differs is lit, with the lines around it', () => {
  expect(text(peekDiff(body, body.replace('h[0] < x', 'h[0] <= x')))).toEqual([
    '     a = 0',
    '     for x in xs:',
    '-        while h and h[0] [<] x:',
    '+        while h and h[0] [<=] x:',
    '             pop(h)',
    '     return a',
  ])
})

test('equal bodies, and bodies without a reference, are shown from their beginning', () => {
  expect(peekDiff(body, body)).toEqual(peekDiff(body, null))
  expect(text(peekDiff(body, null))[0]).toBe(' def f(xs):')
})

test('unrelated bodies are cut before they fill the column', () => {
  const long = Array.from({ length: 60 }, (_, index) => `line_${index}()`).join('\n')
  expect(peekDiff(long, body).length).toBeLessThanOrEqual(11)
})

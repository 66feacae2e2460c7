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

test('lines that are only here, or only there, stand as whole lines between their neighbours', () => {
  const longer = body.replace('    a = 0\n', '    a = 0\n    if not xs:\n        return 0\n')
  expect(text(peekDiff(longer, body))).toEqual([
    ' def f(xs):',
    '     a = 0',
    expect.stringMatching(/^-.*if not xs:/),
    expect.stringMatching(/^-.*return 0/),
    '     for x in xs:',
    '         while h and h[0] < x:',
  ])
  expect(text(peekDiff(body, longer)).map((line) => line[0])).toEqual([' ', ' ', '+', '+', ' ', ' '])
})

test('equal bodies, and bodies without a reference, are shown from their beginning', () => {
  expect(peekDiff(body, body)).toEqual(peekDiff(body, null))
  expect(text(peekDiff(body, null))[0]).toBe(' def f(xs):')
})

test('another program is shown plainly, from its function, and cut before it fills the column', () => {
  const long = `import heapq\n\n\ndef g(ys):\n${Array.from({ length: 60 }, (_, index) => `    line_${index}()`).join('\n')}`
  const lines = text(peekDiff(long, body))
  expect([lines[0], lines.length, lines.every((line) => line.startsWith(' '))]).toEqual([
    ' def g(ys):',
    11,
    true,
  ])
})

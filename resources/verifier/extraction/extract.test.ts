import { expect, test } from 'vitest'
import { extract } from './extract.ts'

const fence = '```'
const of = (completion: string) => {
  const { extraction, body } = extract(completion, 'python')
  return [extraction.outcome, extraction.fences, extraction.info, body]
}

const rows: [name: string, completion: string, expected: unknown[]][] = [
  ['one block', `Here:\n\n${fence}python\nx = 1\n${fence}\nDone.`, ['body', 1, 'python', 'x = 1\n']],
  ['an alias', `${fence}py\nx\n${fence}`, ['body', 1, 'py', 'x\n']],
  ['no info string', `${fence}\nx\n${fence}`, ['body', 1, '', 'x\n']],
  ['capitals and attributes', `${fence}Python title="a.py"\nx\n${fence}`, ['body', 1, 'Python', 'x\n']],
  ['tildes', '~~~python\nx\n~~~', ['body', 1, 'python', 'x\n']],
  [
    'tildes around backticks',
    `~~~python\n"""\n${fence}\n"""\n~~~`,
    ['body', 1, 'python', `"""\n${fence}\n"""\n`],
  ],
  ['a longer fence', `${fence}\`\npython\n${fence}\n${fence}\``, ['body', 1, '', `python\n${fence}\n`]],
  [
    'inside a list item',
    `1. First\n\n   ${fence}python\n   if x:\n       y\n   ${fence}\n2. b`,
    ['body', 1, 'python', 'if x:\n    y\n'],
  ],
  ['inside a quote', `> ${fence}py\n> x\n> ${fence}`, ['body', 1, 'py', 'x\n']],
  ['indented by three', `   ${fence}py\n   x\n   ${fence}`, ['body', 1, 'py', 'x\n']],
  ['CRLF', `${fence}python\r\nx\r\n${fence}\r\n`, ['body', 1, 'python', 'x\n']],
  ['empty block', `${fence}python\n${fence}`, ['body', 1, 'python', '']],
  [
    'beside indented code',
    `    ${fence}py\n    x\n    ${fence}\n\n${fence}py\ny\n${fence}`,
    ['body', 1, 'py', 'y\n'],
  ],
  ['prose', 'The answer is a heap.', ['fence_count', 0, null, null]],
  ['indented code only', '    def f(x):\n        return x', ['fence_count', 0, null, null]],
  ['two blocks', `${fence}py\nx\n${fence}\n\n${fence}py\ny\n${fence}`, ['fence_count', 2, null, null]],
  ['another language', `${fence}rust\nx\n${fence}`, ['fence_language', 1, 'rust', null]],
  ['a word that begins so', `${fence}python3.14t\nx\n${fence}`, ['fence_language', 1, 'python3.14t', null]],
  ['cut off', `${fence}python\nx = `, ['unclosed', 1, 'python', null]],
  ['closed by an indented run only', `${fence}python\nx\n    ${fence}`, ['unclosed', 1, 'python', null]],
  ['closed by another character', `${fence}python\nx\n~~~`, ['unclosed', 1, 'python', null]],
  ['closed by the end of its list item', `- ${fence}python\n  x\n\nafter`, ['unclosed', 1, 'python', null]],
  ['nothing', '', ['fence_count', 0, null, null]],
]

test.each(rows)('%s', (_, completion, expected) => {
  expect(of(completion)).toEqual(expected)
})

import { expect, test } from 'vitest'
import { asBlock, isBlockProblem } from './block.ts'

test('a body is one block, by its own braces or by ours, and cannot close them early', () => {
  const cases: Record<string, string> = {
    '{ 1 }': '{ 1 }',
    ' // first\n{ 1 } // last\n': '{ 1 }',
    '1 + 1 // last': '{\n1 + 1 // last\n}',
    '{ 1 } + { 2 }': '{\n{ 1 } + { 2 }\n}',
    '': '{\n\n}',
    '1 } fn other() { 2': 'leaves_function at 2',
    '{ 1 } }': 'leaves_function at 6',
    '{ ( }': 'unreadable at 4',
    '{ 1': 'unreadable at 0',
    '{ /* }': 'unreadable at 2',
    [`${'('.repeat(201)}${')'.repeat(201)}`]: 'too_deep at 200',
  }
  const got = Object.fromEntries(
    Object.keys(cases).map((body) => {
      const block = asBlock(body)
      return [body, isBlockProblem(block) ? `${block.code} at ${block.at}` : block.text]
    }),
  )
  expect(got).toEqual(cases)
})

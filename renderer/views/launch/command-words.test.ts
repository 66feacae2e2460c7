import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandLine, commandWords } from './command-words.ts'

test('a command line is cut as a shell cuts it', () => {
  expect([
    commandWords(` python3  train.py --name 'two words' "a \\"b\\"" c\\ d '' `),
    commandWords(`sh -c 'echo $HOME'`),
    commandWords(`say 'it`),
    commandWords(''),
  ]).toEqual([
    ['python3', 'train.py', '--name', 'two words', 'a "b"', 'c d', ''],
    ['sh', '-c', 'echo $HOME'],
    null,
    [],
  ])
})

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(commandWords(commandLine(words))).toEqual(words)
    }),
  )
})

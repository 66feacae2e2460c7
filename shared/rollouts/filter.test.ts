import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AppError } from '../base/errors.ts'
import {
  type Filter,
  flags,
  formatFilter,
  numberFields,
  parseFilter,
  rolloutStatuses,
  type Term,
  textFields,
} from './filter.ts'

const negated = fc.boolean()
const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((text) => !text.includes(','))
const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    kind: fc.constant('status' as const),
    any: fc.subarray([...rolloutStatuses], { minLength: 1 }),
    negated,
  }),
  fc.record({
    kind: fc.constant('number' as const),
    field: fc.constantFrom(...numberFields),
    op: fc.constantFrom(
      '<' as const,
      '<=' as const,
      '=' as const,
      '>=' as const,
      '>' as const,
      '!=' as const,
    ),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    negated,
  }),
  fc.record({ kind: fc.constant('null' as const), field: fc.constantFrom(...numberFields), negated }),
  fc.record({
    kind: fc.constant('text' as const),
    field: fc.constantFrom(...textFields),
    any: fc.array(word, { minLength: 1, maxLength: 3 }),
    negated,
  }),
  fc.record({ kind: fc.constant('flag' as const), flag: fc.constantFrom(...flags), negated }),
  fc.record({
    kind: fc.constant('search' as const),
    text: fc.string({ unit: 'grapheme', maxLength: 12 }),
    negated,
  }),
)

test('every filter survives its line', () => {
  fc.assert(
    fc.property(fc.array(anyTerm, { maxLength: 5 }), (filter: Filter) => {
      expect(parseFilter(formatFilter(filter))).toEqual(filter)
    }),
    { numRuns: 2000 },
  )
})

test('any line parses or says in one sentence what is wrong with it', () => {
  const bits = fc.constantFrom(
    '-',
    '"',
    '\\',
    ':',
    '<',
    '=',
    '!',
    ' ',
    ',',
    'status',
    'reward',
    'is',
    'task',
    'null',
    'passed',
    '1',
    '.',
    'é',
  )
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 12 }), (parts) => {
      const line = parts.join('')
      try {
        expect(formatFilter(parseFilter(formatFilter(parseFilter(line))))).toBe(
          formatFilter(parseFilter(line)),
        )
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown
        expect([thrown.code, thrown.message.includes('\n'), thrown.message.endsWith('.')]).toEqual([
          'bad_filter',
          false,
          true,
        ])
      }
    }),
    { numRuns: 3000 },
  )
})

test('what a person types means what it looks like', () => {
  expect(
    parseFilter('status:timed_out,pending -reward<1 task:x print("hi") "heap[0] <= 3" "say \\"no\\""'),
  ).toEqual([
    { kind: 'status', any: ['timed_out', 'pending'], negated: false },
    { kind: 'number', field: 'reward', op: '<', value: 1, negated: true },
    { kind: 'text', field: 'task', any: ['x'], negated: false },
    { kind: 'search', text: 'print("hi")', negated: false },
    { kind: 'search', text: 'heap[0] <= 3', negated: false },
    { kind: 'search', text: 'say "no"', negated: false },
  ])
  expect(parseFilter('reward:null group:3')).toEqual([
    { kind: 'null', field: 'reward', negated: false },
    { kind: 'number', field: 'group', op: '=', value: 3, negated: false },
  ])
})

test('mistakes are named with what would be allowed', () => {
  const fault = (line: string) => {
    try {
      return parseFilter(line)
    } catch (thrown) {
      return thrown instanceof AppError ? thrown.message : thrown
    }
  }
  expect(
    ['status:good', 'task<3', 'reward<much', 'colour:red', 'is:odd', 'task:', '"open'].map(fault),
  ).toEqual([
    expect.stringMatching(/^status:good: good is no status; they are passed, .*pending\.$/),
    expect.stringMatching(/^task<3: task is no number; numbers are reward, /),
    'reward<much: much is no number.',
    expect.stringMatching(/^colour:red: there is no field colour; fields are status, is, reward, .*fails\.$/),
    'is:odd: odd is unknown; use false_acceptance, false_rejection, silent, truncated, unaudited.',
    'task: names nothing after the colon.',
    'The quote in "open is not closed.',
  ])
})

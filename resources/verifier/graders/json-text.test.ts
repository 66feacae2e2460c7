import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalText, sameJson } from './json-text.ts'

test.each([
  ['2', '2'],
  [' [1, 2 ,3] ', '[1,2,3]'],
  ['{"b":1,"a":[]}', '{ "a" : [ ] , "b" : 1 }'],
  ['"é"', '"\\u00e9"'],
  ['"\\/"', '"/"'],
  ['"\\ud83d\\ude00"', '"\u{1f600}"'],
  ['0.1', '0.10'],
  ['1e16', '1e+16'],
  ['1.0', '1e0'],
  ['123456.0', '1.23456e5'],
  ['0.0', '0.000'],
  ['12345678901234567890123', '12345678901234567890123'],
])('%s and %s are one value', (a, b) => {
  expect([sameJson(a, b), sameJson(b, a)]).toEqual([true, true])
})

test.each([
  ['2', '2.0'],
  ['2', '2e0'],
  ['0', '-0'],
  ['0.0', '-0.0'],
  ['2', '2.00000000000000001'],
  ['1', 'true'],
  ['0', 'false'],
  ['null', '0'],
  ['1', '"1"'],
  ['9007199254740993', '9007199254740992'],
  ['0.1', '0.1000000000000000055511151231257827'],
  ['1e400', '1e401'],
  ['[1,2]', '[2,1]'],
  ['[]', '{}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['"a"', '"a "'],
  ['"\\ud800"', '"\\ufffd"'],
])('%s and %s are two', (a, b) => {
  expect([sameJson(a, b), sameJson(b, a)]).toEqual([false, false])
})

test.each([
  'NaN',
  'Infinity',
  '-Infinity',
  '',
  '[',
  '[1,]',
  '{"a"}',
  '{"a":1,}',
  '01',
  '.5',
  '1.',
  '+1',
  "'a'",
  '"a\nb"',
  '1 2',
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '[1]]',
  'True',
  '"\\x"',
])('%j is no JSON and equals nothing, not even itself', (text) => {
  expect([canonicalText(text), sameJson(text, text)]).toEqual([null, false])
})

test('any nesting is safe', () => {
  const deep = (open: string, close: string) => open.repeat(200_000) + close.repeat(200_000)
  expect(sameJson(deep('[', ']'), deep('[ ', ' ]'))).toBe(true)
  expect(sameJson(deep('[', ']'), `${deep('[', ']')}]`)).toBe(false)
})

test('whatever the spelling, a value equals itself and no other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [left, right] = [JSON.stringify(a), JSON.stringify(b)]
      expect(sameJson(left, JSON.stringify(a, null, 2))).toBe(true)
      expect(sameJson(left, right)).toBe(canonicalText(left) === canonicalText(right))
      if (!sameJson(left, right)) expect(left).not.toBe(right)
    }),
  )
})

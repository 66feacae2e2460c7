import { expect, test } from 'vitest'
import { normaliseAnswer, normaliseOutput } from './answers.ts'

test('answers that mean the same have one spelling, and those that do not have two', () => {
  const same: [string, string][] = [
    ['0.5', '\\frac{1}{2}'],
    ['1/2', 'Answer: $\\dfrac{1}{2}$.'],
    ['1,234', '1234'],
    ['-0.25', '\\boxed{-\\frac{1}{4}}'],
    ['50\\%', '0.5'],
    ['so \\boxed{x} and then \\boxed{\\text{New York}}', 'new  york'],
    ['The Final Answer is "Paris".', 'paris'],
    ['2.50', '5/2'],
    ['6/-4', '-1.5'],
    ['−7', '-7.0'],
    ['\\boxed{\\frac{\\sqrt{2}}{2}}', '\\frac{\\sqrt{2}}{2}'],
  ]
  const apart: [string, string][] = [
    ['Co', 'CO'],
    ['34', '3, 4'],
    ['1/0', '0'],
    ['x^2', 'x^3'],
    ['10', '1'],
    ['', '0'],
    ['1,23', '123'],
  ]
  expect(same.filter(([a, b]) => normaliseAnswer(a) !== normaliseAnswer(b))).toEqual([])
  expect(apart.filter(([a, b]) => normaliseAnswer(a) === normaliseAnswer(b))).toEqual([])
})

test('of an output only what stands at the ends of lines is passed over', () => {
  expect(normaliseOutput('a b  \r\nc\t\n\n')).toBe('a b\nc')
  expect([' a', 'a  b', 'a\n\nb'].map(normaliseOutput)).toEqual([' a', 'a  b', 'a\n\nb'])
})

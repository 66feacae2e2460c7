import { expect, it } from 'vitest'
import { silentGrade, type TestOutcome } from '#shared/domain/grade.ts'
import { byFamily, filterLines, smallestFailure, testLines } from './test-lines.ts'

const test = (
  name: string,
  outcome: TestOutcome['outcome'],
  more: Partial<TestOutcome> = {},
): TestOutcome => ({
  name,
  outcome,
  ms: 1,
  ...more,
})
const grade = {
  ...silentGrade('unresolved', 'x'),
  status: 'test_failed' as const,
  reward: 0.5,
  tests: [
    test('empty-1', 'passed'),
    test('boundary-1', 'failed', { expected: '1', observed: '2' }),
    test('boundary-2', 'failed', { expected: '1', observed: '2.0' }),
    test('control-1', 'failed', { control: true }),
  ],
}
const lines = testLines(grade, {
  'empty-1': { family: 'empty', input: '[[]]' },
  'boundary-1': { family: 'boundary', input: '[[[1,2],[2,3],[3,4]]]' },
  'boundary-2': { family: 'boundary', input: '[[[1,2],[2,3]]]' },
})

it('puts what failed first and keeps the suite’s order within', () => {
  expect(lines.map((line) => line.name)).toEqual(['boundary-1', 'boundary-2', 'control-1', 'empty-1'])
})

it('takes the failure with the shortest input for the witness, never a control', () => {
  expect(smallestFailure(lines)?.name).toBe('boundary-2')
  expect(smallestFailure(lines.filter((line) => line.control))).toBeNull()
})

it('counts by family, controls apart', () => {
  expect(byFamily(lines)).toEqual([
    { family: 'empty', passed: 1, total: 1 },
    { family: 'boundary', passed: 0, total: 2 },
    { family: 'controls', passed: 0, total: 1 },
  ])
})

it('filters by every word, raw values included', () => {
  expect(filterLines(lines, 'boundary 2.0').map((line) => line.name)).toEqual(['boundary-2'])
})

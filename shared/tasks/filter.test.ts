import { expect, test } from 'vitest'
import type { TaskRow } from '../ipc/tasks.ts'
import { parseTaskFilter } from './filter.ts'

const row = (task: string, more: Partial<TaskRow>): TaskRow => ({
  ...{
    task,
    group: 'strsim',
    place: 'src/lib.rs jaro',
    tests: 4,
    promptTokens: 300,
    logicLines: 12,
    commits: null,
  },
  ...{ buildMs: 400, testMs: null, controls: null, later: null, difficulty: 'unmeasured' as const },
  initial: null,
  ...more,
})
const rows = [
  row('a', { initial: { passed: 8, graded: 8, silent: 0 }, difficulty: 'solved' }),
  row('b', { group: 'heck', promptTokens: 900, initial: { passed: 1, graded: 8, silent: 1 } }),
  row('c', { promptTokens: null, place: 'Knowledge' }),
]
const names = (line: string) => {
  const filter = parseTaskFilter(line)
  return 'fault' in filter ? filter.fault : rows.filter(filter.matches).map(({ task }) => task)
}

test('a line of terms narrows a list, and what is not known matches no comparison', () => {
  const cases: Record<string, string[] | string> = {
    '': ['a', 'b', 'c'],
    'group:heck': ['b'],
    '-group:heck': ['a', 'c'],
    'tokens>400': ['b'],
    '-tokens>400': ['a'],
    'initial=1 is:solved': ['a'],
    'initial<0.5': ['b'],
    'commits>=0': [],
    knowledge: ['c'],
    'size>3': 'size: compares tests, tokens, logic, commits, build, test, initial, later.',
    'tokens>many': 'tokens>many: many is no number.',
    'crate:heck': 'crate: is one of task, group, place, is.',
  }
  expect(Object.fromEntries(Object.keys(cases).map((line) => [line, names(line)]))).toEqual(cases)
})

import { describe, expect, it } from 'vitest'
import { intervalsOf, packRows, touchingPoints } from './intervals.ts'

describe('intervalsOf', () => {
  it('reads a list of pairs out of an argument list', () => {
    expect(intervalsOf('[[[3664,3670],[3670,3676]]]')).toEqual([
      { start: 3664, end: 3670 },
      { start: 3670, end: 3676 },
    ])
  })

  it.each([
    '[[]]',
    '[3]',
    '[[1,2]]',
    '[[[1,2,3]]]',
    '[[["a",2]]]',
    '[[[2,1]]]',
    '[[[0,9007199254740993]]]',
    'not json',
    '',
  ])('leaves %s as text', (input) => expect(intervalsOf(input)).toBeNull())
})

it('finds where one interval ends as another starts', () => {
  const list = intervalsOf('[[[5,8],[3,5],[8,9],[1,2]]]') ?? []
  expect(touchingPoints(list)).toEqual([5, 8])
})

it('packs intervals so that none covers or runs into another', () => {
  const list = intervalsOf('[[[3664,3670],[3670,3676],[3671,3672],[3680,3690]]]') ?? []
  expect(packRows(list)).toEqual([0, 1, 0, 0])
})

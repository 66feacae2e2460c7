import { expect, test } from 'vitest'
import { moved, ordered } from './board-order.ts'

const all = ['a', 'b', 'c', 'd'] as const
const board = (order: string[], hidden: string[] = []) => ({ order, hidden, large: null })

test('a kept order holds, names that are gone are passed over, and a new panel finds its place', () => {
  expect(ordered(board([]), all)).toEqual(['a', 'b', 'c', 'd'])
  expect(ordered(board(['d', 'gone', 'a', 'c']), all)).toEqual(['d', 'a', 'b', 'c'])
})

test('a panel moves past what is shown, not past what is hidden, and not out of the board', () => {
  expect(moved(board([], ['b']), all, 'a', 1)).toEqual(['c', 'b', 'a', 'd'])
  expect(moved(board([]), all, 'a', -1)).toEqual(['a', 'b', 'c', 'd'])
})

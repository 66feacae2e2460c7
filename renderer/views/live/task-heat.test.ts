import { expect, test } from 'vitest'
import { newStepRow } from '#shared/journal/empty.ts'
import { heatCells, type TaskOrder, TaskTally } from './task-heat.ts'

const step = (n: number, tasks: Record<string, [number, number]>) => ({
  ...newStepRow(n),
  tasks: Object.fromEntries(
    Object.entries(tasks).map(([task, [passed, graded]]) => [task, { passed, graded }]),
  ),
})
const steps = [
  step(1, { easy: [4, 4], hard: [0, 4], silent: [0, 0] }),
  step(2, { easy: [4, 4], hard: [4, 4] }),
  step(3, { hard: [1, 4] }),
]

const taskRows = (of: typeof steps, order: TaskOrder) => new TaskTally().take(of).rows(order)

test('tasks are sorted by how much their pass rate varies; one that was never graded has none', () => {
  expect(taskRows(steps, 'variance').map(({ task, passed, graded }) => [task, passed, graded])).toEqual([
    ['hard', 5, 12],
    ['easy', 8, 8],
    ['silent', 0, 0],
  ])
  expect(taskRows(steps, 'rate').map(({ task }) => task)).toEqual(['hard', 'easy', 'silent'])
  expect(taskRows(steps, 'name').map(({ variance }) => variance)).toEqual([
    0,
    expect.closeTo(0.2708, 3),
    null,
  ])
})

test('a tally that follows the steps says what one of the last of them does', () => {
  const tally = new TaskTally()
  tally.take(steps.slice(0, 1))
  tally.take(steps)
  const changed = [...steps.slice(0, 2), step(3, { hard: [4, 4], other: [1, 4] }), step(4, { easy: [0, 4] })]
  expect(tally.take(changed).rows('name')).toEqual(taskRows(changed, 'name'))
  expect(
    tally
      .take(steps)
      .rows('name')
      .map(({ task }) => task),
  ).toEqual(['easy', 'hard', 'silent'])
})

test('steps drawn as one column give its rate over all of their grades', () => {
  expect([...heatCells(steps, 'hard', (n) => Math.floor((n - 1) / 2))]).toEqual([
    [0, { passed: 4, graded: 8 }],
    [1, { passed: 1, graded: 4 }],
  ])
})

import { z } from 'zod'
import type { Task } from '#shared/domain/suite.ts'
import type { TaskPage } from '#shared/ipc/contract.ts'
import { CargoTest, targetKey } from '#shared/tasks/survey.ts'
import type { Suite } from '../runs/suites.ts'

/** Told of one task; a set of code problems has thousands of cases, of megabytes each. */
const most = 60
const longest = 2_000

/** A task's tests: named ones of a crate, or cases with what goes in and what is to come out. */
export function testsOf(suite: Suite, task: Task): Pick<TaskPage, 'tests' | 'moreTests'> {
  const named = z.array(CargoTest).safeParse(task.tests)
  if (named.success) {
    const controls = z.array(CargoTest).catch([]).parse(task.negativeControls)
    const tell = (control: boolean) => (test: CargoTest) => ({
      name: targetKey(test.target) === 'lib' ? test.name : `${test.target.name}::${test.name}`,
      ...{ control, input: null, expected: null },
    })
    return { tests: [...named.data.map(tell(false)), ...controls.map(tell(true))], moreTests: 0 }
  }
  const cases = suite.cases.get(task.id) ?? []
  return {
    tests: cases.slice(0, most).map(({ id, input, expected }) => ({
      name: id,
      control: false,
      input: cut(input),
      expected: cut(expected),
    })),
    moreTests: Math.max(0, cases.length - most),
  }
}

const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text)

import { z } from 'zod'
import { Task } from '#shared/domain/suite.ts'
import { CargoTest, type TestTarget, targetKey } from '#shared/tasks/survey.ts'

export { CargoTest, type TestTarget, targetKey }

/** One line of a cargo suite's `tasks.jsonl`. Paths are relative to the repository's root, with `/`. */
export const CargoTask = Task.extend({
  crate: z.string().min(1),
  file: z.string().min(1),
  /** Within the file: `merge`, `inner::merge`, `Span::overlap`, `<Span as FromStr>::from_str`, `Shape::area` (a trait's default). */
  function: z.string().min(1),
  tests: z.array(CargoTest).min(1),
  negativeControls: z.array(CargoTest).default([]),
  /** The workspace's or package's manifest. */
  manifest: z.string().default('Cargo.toml'),
  features: z.array(z.string()).default([]),
})
export type CargoTask = z.infer<typeof CargoTask>

/** Every target in which the task has a test, each once. */
export function targetsOf(task: CargoTask): TestTarget[] {
  const targets = new Map<string, TestTarget>()
  for (const { target } of [...task.tests, ...task.negativeControls]) targets.set(targetKey(target), target)
  return [...targets.values()]
}

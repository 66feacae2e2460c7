import { z } from 'zod'
import { Task } from '#shared/domain/suite.ts'

/** Which test binary a test is in. `name` is cargo's target name; a library has one only, so it is not looked at there. */
export const TestTarget = z.object({ kind: z.enum(['lib', 'bin', 'test']), name: z.string() })
export type TestTarget = z.infer<typeof TestTarget>

/** A test by its full path within its target, as `--exact` wants it. */
export const CargoTest = z.object({ name: z.string().min(1), target: TestTarget })
export type CargoTest = z.infer<typeof CargoTest>

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

export const targetKey = (target: TestTarget): string =>
  target.kind === 'lib' ? 'lib' : `${target.kind}:${target.name}`

/** Every target in which the task has a test, each once. */
export function targetsOf(task: CargoTask): TestTarget[] {
  const targets = new Map<string, TestTarget>()
  for (const { target } of [...task.tests, ...task.negativeControls]) targets.set(targetKey(target), target)
  return [...targets.values()]
}

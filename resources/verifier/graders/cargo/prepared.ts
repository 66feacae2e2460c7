import { type Canary, canaryFor, markItem } from './canary.ts'
import type { TaskSite } from './site.ts'
import { type CargoTask, targetKey } from './task.ts'

/** The files of one grade: the spliced one with its build mark, each test target's root with its canary. */
export type Prepared = { files: Map<string, string>; canaries: Map<string, Canary> }

/** @param spliced the task's file with the body in place. @param nonce 32 hex digits, new for each grade. */
export function prepare(task: CargoTask, taskSite: TaskSite, spliced: string, nonce: string): Prepared {
  const files = new Map<string, string>([[task.file, spliced + markItem(nonce)]])
  const canaries = new Map<string, Canary>()
  const tests = [...task.tests, ...task.negativeControls]
  for (const [key, root] of taskSite.roots) {
    const names = tests.filter((test) => targetKey(test.target) === key).map((test) => test.name)
    const canary = canaryFor(nonce, names, root.edition)
    canaries.set(key, canary)
    files.set(root.path, (files.get(root.path) ?? root.source) + canary.item)
  }
  return { files, canaries }
}

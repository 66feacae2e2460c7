import type { Command } from 'commander'
import { addBuild } from './tasks-build.ts'
import { addImport } from './tasks-import.ts'
import { addMark } from './tasks-mark.ts'
import { addSets } from './tasks-sets.ts'

export function addTasks(program: Command): void {
  const tasks = program.command('tasks').description('from code to tasks worth training on')
  addMark(tasks)
  addBuild(tasks)
  addImport(tasks)
  addSets(tasks)
}

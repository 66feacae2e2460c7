import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Package } from './cargo-messages.ts'
import { type FunctionOutline, outline } from './outline.ts'
import type { RustParser } from './rust-parser.ts'
import type { CargoTest } from './task.ts'
import type { Workspace } from './workspace.ts'

/** A held-out function found by its mark, with the tests that are marked for it. */
export type MarkedTask = {
  id: string
  crate: string
  file: string
  function: FunctionOutline
  source: string
  tests: CargoTest[]
  negativeControls: CargoTest[]
}

type MarkedTest = { ids: string[]; kind: 'test' | 'negative-control'; test: CargoTest; crate: string }

/** Reads the marks of a whole workspace. @throws AppError `bad_suite` for an id that is there twice, a test without function or the reverse. */
export async function markedTasks(
  workspace: Workspace,
  parser: RustParser,
  manifest: string,
): Promise<MarkedTask[]> {
  const tasks = new Map<string, MarkedTask>()
  const tests: MarkedTest[] = []
  const packages = await workspace.packages(manifest)
  for (const { path } of workspace.entries.filter((entry) => entry.path.endsWith('.rs'))) {
    const owner = packages
      .filter((item) => dirname(item.manifest) === '.' || path.startsWith(`${dirname(item.manifest)}/`))
      .sort((a, b) => b.manifest.length - a.manifest.length)[0]
    if (!owner) continue
    const source = await readFile(`${workspace.tree}/${path}`, 'utf8')
    for (const item of outline(parser, source).functions)
      for (const mark of item.marks) {
        if (mark.kind !== 'hold-out') {
          const test = { name: testName(owner, path, item), target: targetOf(owner, path) }
          tests.push({ ids: mark.ids, kind: mark.kind, test, crate: owner.name })
          continue
        }
        const id = mark.ids[0] ?? ''
        if (tasks.has(id)) throw new AppError('bad_suite', `The mark ${id} is there twice, again in ${path}.`)
        tasks.set(id, {
          id,
          crate: owner.name,
          file: path,
          function: item,
          source,
          tests: [],
          negativeControls: [],
        })
      }
  }
  for (const { ids, kind, test, crate } of tests)
    for (const id of ids) {
      const task = tasks.get(id)
      if (!task || task.crate !== crate)
        throw new AppError(
          'bad_suite',
          `The test ${test.name} is for ${id}, which is not held out in ${crate}.`,
        )
      task[kind === 'test' ? 'tests' : 'negativeControls'].push(test)
    }
  const untested = [...tasks.values()].find((task) => task.tests.length === 0)
  if (untested) throw new AppError('bad_suite', `No test is marked for ${untested.id}.`)
  return [...tasks.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** The target whose root file is nearest above `path`: the file itself, or the one beside whose folder it lies. */
function targetOf(owner: Package, path: string): CargoTest['target'] {
  const own =
    owner.targets.find((target) => target.root === path) ??
    owner.targets.find((target) => target.key === 'lib')
  const [kind, name] = (own?.key ?? 'lib').split(':')
  return kind === 'bin' || kind === 'test' ? { kind, name: name ?? '' } : { kind: 'lib', name: owner.name }
}

function testName(owner: Package, path: string, item: FunctionOutline): string {
  const { kind, name } = targetOf(owner, path)
  const key = kind === 'lib' ? 'lib' : `${kind}:${name}`
  const root = owner.targets.find((target) => target.key === key)?.root ?? path
  return [...fileModules(root, path), ...item.modulePath, item.name].join('::')
}

/** The modules a file's place gives it: `src/a/b.rs` and `src/a/b/mod.rs` are `a::b` below `src/lib.rs`. */
function fileModules(root: string, path: string): string[] {
  if (path === root) return []
  const inside = path.slice(dirname(root).length + 1, -'.rs'.length).split('/')
  return inside.at(-1) === 'mod' ? inside.slice(0, -1) : inside
}

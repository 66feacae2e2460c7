import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Package } from './cargo-messages.ts'
import type { RustParser } from './rust-parser.ts'
import { within } from './source-tree.ts'
import { type FileFacts, fileFacts, findFunction, readBlock, type Site, surroundings } from './splice.ts'
import { type CargoTask, targetKey } from './task.ts'
import type { Workspace } from './workspace.ts'

/** What one task needs to know of its workspace, read once. */
export type TaskSite = {
  site: Site
  package: Package
  packageFolder: string
  /** The root file of each of the task's test targets, by `targetKey`, with its pristine text. */
  roots: Map<string, { path: string; source: string; edition: string }>
}

const readSource = async (workspace: Workspace, path: string): Promise<string> => {
  const bytes = await readFile(within(workspace.tree, path)).catch((cause) => {
    throw new AppError('bad_suite', `The commit has no file ${path}.`, { cause })
  })
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}

/** @throws AppError `bad_suite` where the task names what the commit does not have. */
export async function openSite(
  workspace: Workspace,
  parser: RustParser,
  task: CargoTask,
  reference: string | null,
): Promise<TaskSite> {
  const packages = await workspace.packages(task.manifest)
  const found = packages.find((item) => item.name === task.crate)
  if (!found)
    throw new AppError('bad_suite', `Task ${task.id}: there is no crate ${task.crate} in ${task.manifest}.`)
  const source = await readSource(workspace, task.file)
  const target = findFunction(parser, source, task)
  const rawCStrings = Number(found.edition) >= 2021
  const own = source.slice(target.bodyStart, target.bodyEnd)
  const folder = dirname(found.manifest)
  const others = await crateFacts(workspace, parser, folder, task.file)
  const site: Site = {
    source,
    function: target,
    reference: readBlock(reference ?? own, rawCStrings, `The reference body of ${task.id}`),
    around: surroundings(fileFacts(parser, source, target), others, target),
    rawCStrings,
  }
  return { site, package: found, packageFolder: folder, roots: await rootsOf(workspace, found, task) }
}

/** A large crate has many tasks; each of its files is read once for all of them. */
const knownFacts = new WeakMap<Workspace, Map<string, Promise<FileFacts>>>()

async function crateFacts(
  workspace: Workspace,
  parser: RustParser,
  folder: string,
  except: string,
): Promise<FileFacts[]> {
  const known = knownFacts.get(workspace) ?? new Map<string, Promise<FileFacts>>()
  knownFacts.set(workspace, known)
  const prefix = folder === '.' ? 'src/' : `${folder}/src/`
  const read = async (path: string) =>
    fileFacts(parser, await readSource(workspace, path).catch(() => ''), null)
  const paths = workspace.entries.map((entry) => entry.path)
  const rust = paths.filter((path) => path.startsWith(prefix) && path.endsWith('.rs') && path !== except)
  return Promise.all(
    rust.map((path) => {
      const facts = known.get(path) ?? read(path)
      known.set(path, facts)
      return facts
    }),
  )
}

async function rootsOf(workspace: Workspace, found: Package, task: CargoTask): Promise<TaskSite['roots']> {
  const roots: TaskSite['roots'] = new Map()
  for (const { target } of [...task.tests, ...task.negativeControls]) {
    const key = targetKey(target)
    if (roots.has(key)) continue
    const known = found.targets.find((item) => item.key === key)
    if (!known)
      throw new AppError('bad_suite', `Task ${task.id}: the crate ${task.crate} has no target ${key}.`)
    roots.set(key, {
      path: known.root,
      source: await readSource(workspace, known.root),
      edition: known.edition,
    })
  }
  return roots
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

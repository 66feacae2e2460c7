import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { Survey, SurveyedFunction } from '#shared/tasks/survey.ts'
import type { Package } from '../cargo-messages.ts'
import { confine } from '../confinement.ts'
import { type MarkedTask, markedTasks } from '../marked-tasks.ts'
import { outline } from '../outline.ts'
import { loadRustParser, type RustParser } from '../rust-parser.ts'
import { type CargoTest, targetKey } from '../task.ts'
import { findToolchain } from '../toolchain.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { type Candidate, functionsWithTests, modulesOf, type SourceFile } from './discover.ts'
import { type CrateTests, listTests } from './list-tests.ts'

export type DescribeRequest = {
  repo: string
  commit: string
  manifest: string
  scratch: string
  /** Null: the marks where there are any, else every function. */
  from: Survey['from'] | null
  log: (text: string) => void
}

/**
 * Everything in a commit's workspace that could become a task, with what each test calls. Its tests are built once, in the sandbox.
 * @throws AppError `cargo_missing`, `git_failed`, `bad_suite` where the marks contradict one another, `bad_input` where there is no crate.
 */
export async function describeWorkspace(request: DescribeRequest): Promise<Survey> {
  const { repo, commit, manifest, scratch, log } = request
  const toolchain = await findToolchain()
  const confinement = await confine(toolchain, `${scratch}/filters`)
  const workspace = await openWorkspace(`${scratch}/look`, { repo, commit }, [manifest], {
    confinement,
    toolchain: toolchain.version,
  })
  if (!workspace.entries.some((entry) => entry.path === manifest))
    throw new AppError('bad_input', `The commit ${commit} has no ${manifest}.`, {
      hint: 'Name the workspace’s manifest with --manifest, from the repository’s root on.',
    })
  const packages = await workspace.packages(manifest)
  const parser = await loadRustParser()
  const files = await rustFiles(
    workspace,
    packages.map((item) => dirname(item.manifest)),
  )
  const marked = request.from === 'candidates' ? [] : await markedTasks(workspace, parser, manifest)
  if (marked.length === 0 && request.from === 'marks')
    throw new AppError('bad_input', `The commit ${commit} has no marks.`, {
      hint: 'Put some there with `ringside tasks mark`, or leave --from out.',
    })
  const from = marked.length > 0 ? 'marks' : 'candidates'
  const place = { confinement, workspace, scratch: `${scratch}/list`, manifest, log }
  const crates = await listTests(place, packages)
  const all = crates.flatMap((crate) =>
    functionsWithTests(parser, crate.owner, files, crate.listed).map((item) => ({ crate, item })),
  )
  return {
    commit: workspace.commit,
    from,
    manifest,
    crates: crates.map(({ owner, listed, broken }) => ({
      name: owner.name,
      tests: listed.reduce((sum, { names }) => sum + names.length, 0),
      broken,
    })),
    functions: from === 'marks' ? marked.map((task) => fromMark(task, all)) : candidates(all),
    files: Object.fromEntries(files.map((file) => [file.path, facts(parser, packages, file)])),
  }
}

type Found = { crate: CrateTests; item: Candidate }

async function rustFiles(workspace: Workspace, folders: string[]): Promise<SourceFile[]> {
  const paths = workspace.entries
    .filter(({ path, link }) => path.endsWith('.rs') && link === null)
    .map(({ path }) => path)
    .filter((path) => folders.some((folder) => folder === '.' || path.startsWith(`${folder}/`)))
  return Promise.all(
    paths.map(async (path) => ({ path, source: await readFile(`${workspace.tree}/${path}`, 'utf8') })),
  )
}

function facts(
  parser: RustParser,
  packages: Package[],
  { path, source }: SourceFile,
): Survey['files'][string] {
  const owner = packages
    .filter(({ manifest }) => dirname(manifest) === '.' || path.startsWith(`${dirname(manifest)}/`))
    .sort((a, b) => b.manifest.length - a.manifest.length)[0]
  const root =
    owner?.targets.find((target) => target.root === path) ?? owner?.targets.find(({ key }) => key === 'lib')
  const modules = modulesOf(root?.root ?? path, path)
  const { functions, testSpans } = outline(parser, source)
  const tests = functions.filter((item) => item.isTest)
  return {
    text: source,
    testSpans,
    tests: tests.map(({ modulePath, name, start, bodyStart, bodyEnd }) => ({
      name: [...modules, ...modulePath, name].join('::'),
      at: start,
      start: bodyStart,
      end: bodyEnd,
    })),
  }
}

const sharedParts = ({ crate, item }: Found, all: Found[]) => ({
  crate: crate.owner.name,
  file: item.file,
  path: item.function.path,
  signature: item.function.signature,
  returnType: item.function.returnType?.replace(/\s+/g, ' ') ?? null,
  start: item.function.start,
  bodyStart: item.function.bodyStart,
  bodyEnd: item.function.bodyEnd,
  sameName: item.sameName,
  samePath: all.filter(
    ({ item: other }) => other.file === item.file && other.function.path === item.function.path,
  ).length,
})

function candidates(all: Found[]): SurveyedFunction[] {
  const taken = new Set<string>()
  return all.map((found) => ({
    ...sharedParts(found, all),
    id: newId(found, taken),
    marked: false,
    tests: found.item.tests,
    negativeControls: [],
    callers: found.item.tests,
  }))
}

function fromMark(task: MarkedTask, all: Found[]): SurveyedFunction {
  const found = all.find(({ item }) => item.file === task.file && item.function.start === task.function.start)
  if (!found)
    throw new AppError('bad_suite', `The mark ${task.id} is on a function outside its crate’s src folder.`)
  const key = (test: CargoTest) => `${targetKey(test.target)} ${test.name}`
  const calls = new Set(found.item.tests.map(key))
  return {
    ...sharedParts(found, all),
    // A mark says which of several is meant.
    samePath: 1,
    id: task.id,
    marked: true,
    tests: task.tests,
    negativeControls: task.negativeControls,
    callers: task.tests.filter((test) => calls.has(key(test))),
  }
}

/** Letters of crate and path, and a number where another function has them. */
function newId({ crate, item }: Found, taken: Set<string>): string {
  const words = `${crate.owner.name} ${item.function.path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const base = words.replaceAll(/^-+|-+$/g, '').slice(0, 80) || 'function'
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    if (taken.has(id)) continue
    taken.add(id)
    return id
  }
}

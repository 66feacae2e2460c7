import { createHash } from 'node:crypto'
import type { CopyOptions } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { SuiteRef, SuiteSource } from '#shared/domain/run.ts'
import { Case, SuiteManifest, Task } from '#shared/domain/suite.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'
import type { SuiteOption } from '#shared/ipc/contract.ts'
import { madeAt, needsOf } from './suite-source.ts'

/** A suite folder whose content was hashed and found to be what its manifest says. */
export type Suite = { path: string; manifest: SuiteManifest; tasks: Task[]; cases: Map<string, Case[]> }

/** @throws {AppError} `bad_suite`, naming the file and the line at fault. */
export async function loadSuite(path: string): Promise<Suite> {
  const manifest = await readManifest(path)
  const actual = await suiteDigest(path)
  if (actual !== manifest.sha256) {
    throw bad(
      `${path} is not the suite it was: its content hashes to ${actual.slice(0, 12)}, suite.json says ${manifest.sha256.slice(0, 12)}.`,
    )
  }
  const tasks = await readLines(join(path, 'tasks.jsonl'), Task)
  if (tasks.length === 0) throw bad(`${join(path, 'tasks.jsonl')} names no task.`)
  const cases = new Map<string, Case[]>()
  for (const task of tasks) {
    const file = join(path, 'cases', `${task.id}.jsonl`)
    if (await isFile(file)) cases.set(task.id, await readLines(file, Case))
  }
  return { path, manifest, tasks, cases }
}

export const suiteRef = ({ path, manifest }: Suite): SuiteRef => ({
  path,
  name: manifest.name,
  version: manifest.version,
  sha256: manifest.sha256,
})

/** The suites in a folder of suite folders. What is no valid suite is left out: a broken folder must not hide the others. */
export async function listSuites(folder: string): Promise<SuiteOption[]> {
  const options: SuiteOption[] = []
  for (const path of await suiteFolders(folder)) {
    const option = await loadSuite(path)
      .then(suiteOption)
      .catch(() => null)
    if (option) options.push(option)
  }
  return options.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const suiteOption = async (suite: Suite): Promise<SuiteOption> => ({
  ...suiteRef(suite),
  grader: suite.manifest.grader,
  tasks: suite.tasks.length,
  cases: [...suite.cases.values()].reduce((sum, cases) => sum + cases.length, 0),
  description: suite.manifest.description,
  role: /(^|-)audit$/.test(suite.manifest.name) ? 'audit' : 'train',
  needs: await needsOf(suite),
  madeAt: madeAt(suite),
})

/** Folders with a suite.json, at most two levels down. */
async function suiteFolders(folder: string, depth = 0): Promise<string[]> {
  if (await isFile(join(folder, 'suite.json'))) return [folder]
  if (depth === 2) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const inner = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
  return (await Promise.all(inner.map((path) => suiteFolders(path, depth + 1)))).flat()
}

/**
 * A suite is frozen once a run uses it: the run gets a copy under its hash, kept in the data folder and shared by all runs with the same
 * suite, so that an edit of the original changes no run, not even when its verifier is started again. So is a plain folder that its bodies are put
 * into; a commit cannot change.
 */
export async function freezeSuite(
  suite: Suite,
  source: SuiteSource | null,
  folder: string,
): Promise<SuiteRef> {
  const path = join(folder, suite.manifest.sha256)
  await copyOnce(suite.path, path, { dereference: true })
  const ref = { ...suiteRef(suite), path }
  if (source?.kind !== 'folder') return source === null ? ref : { ...ref, source }
  return { ...ref, source: { kind: 'folder', folder: await freezeFolder(source.folder, suite.path, path) } }
}

/** Named by its content too: a folder that was changed is another copy, and a suite that it no longer fits is refused by the verifier. */
async function freezeFolder(folder: string, suite: string, beside: string): Promise<string> {
  const left = ['.git', 'target']
  const draft = `${beside}.draft-${process.pid}`
  await rm(draft, { recursive: true, force: true })
  try {
    await cp(folder, draft, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !left.includes(basename(from)) && resolve(from) !== resolve(suite),
    })
    const path = `${beside}.workspace-${(await suiteDigest(draft)).slice(0, 12)}`
    await copyOnce(draft, path, { verbatimSymlinks: true })
    return path
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Makes a folder as a whole or not at all, and only once. */
async function copyOnce(from: string, path: string, options: Omit<CopyOptions, 'recursive'>): Promise<void> {
  if (await isThere(path)) return
  const temporary = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  await rm(temporary, { recursive: true, force: true })
  await cp(from, temporary, { ...options, recursive: true })
  await rename(temporary, path).catch(async (failure: unknown) => {
    await rm(temporary, { recursive: true, force: true })
    if (!(await isThere(path))) throw failure
  })
}

async function readManifest(path: string): Promise<SuiteManifest> {
  const file = join(path, 'suite.json')
  const text = await readFile(file, 'utf8').catch(() => {
    throw bad(`${resolve(path)} holds no suite.json.`)
  })
  return parse(SuiteManifest, text, file)
}

/** The content hash of the folder as it is now, whatever its suite.json says. */
export async function suiteDigest(path: string): Promise<string> {
  const files = await filesBelow(path)
  const hashed = await Promise.all(
    files.map(async (file) => ({
      path: file.split(sep).join('/'),
      sha256: sha256(await readFile(join(path, file))),
    })),
  )
  return sha256(suiteDigestInput(hashed))
}

async function filesBelow(path: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(join(path, prefix), { withFileTypes: true })
  const found = await Promise.all(
    entries.map((entry) => {
      const name = join(prefix, entry.name)
      return entry.isDirectory() ? filesBelow(path, name) : [name]
    }),
  )
  return found.flat()
}

async function readLines<T>(file: string, schema: { safeParse(value: unknown): Parsed<T> }): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw bad(`${file} cannot be read.`)
  })
  const lines = text.split('\n').map((line, index) => ({ line, at: `${file}, line ${index + 1}` }))
  return lines.filter(({ line }) => line.trim() !== '').map(({ line, at }) => parse(schema, line, at))
}

type Parsed<T> =
  | { success: true; data: T }
  | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } }

function parse<T>(schema: { safeParse(value: unknown): Parsed<T> }, text: string, where: string): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw bad(`${where} is no JSON.`)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw bad(`${where}: ${issue?.path.join('.')}: ${issue?.message}.`)
}

const bad = (message: string) => new AppError('bad_suite', message)
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

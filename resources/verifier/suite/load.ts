import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import { SuiteManifest, Task } from '#shared/domain/suite.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'
import { parseLines, parseWith } from './parse.ts'

/** A suite folder in memory: read once, verified against its own digest, and never looked at on disk again. */
export type Suite = {
  manifest: SuiteManifest
  tasks: Task[]
  /** Every file but `suite.json`, by path relative to the folder, with `/`. */
  files: Map<string, Buffer>
}

/**
 * Reads and verifies a suite folder.
 * @throws AppError `bad_suite`: what is wrong, in which file and line, and for a digest both the stated and the actual one.
 */
export function loadSuite(folder: string): Suite {
  const manifest = parseWith(SuiteManifest, readText(join(folder, 'suite.json')), 'suite.json')
  const files = new Map<string, Buffer>()
  for (const path of listFiles(folder)) {
    if (path !== 'suite.json') files.set(path, readFileSync(join(folder, path)))
  }
  const digest = digestOf(files)
  if (digest !== manifest.sha256) {
    throw new AppError(
      'bad_suite',
      `Suite ${manifest.name} ${manifest.version} states sha256 ${manifest.sha256}, but its files hash to ${digest}.`,
      { hint: 'A frozen suite never changes: restore its files, or make a new version with its own digest.' },
    )
  }
  const listing = files.get('tasks.jsonl')
  if (listing === undefined) throw new AppError('bad_suite', `Suite ${manifest.name} has no tasks.jsonl.`)
  const tasks = parseLines(Task, listing, 'tasks.jsonl')
  if (tasks.length === 0) throw new AppError('bad_suite', `Suite ${manifest.name} has no task.`)
  const ids = new Set<string>()
  for (const { id } of tasks) {
    if (ids.has(id)) throw new AppError('bad_suite', `Task ${id} is there twice in tasks.jsonl.`)
    ids.add(id)
  }
  checkReferences(tasks, files)
  return { manifest, tasks, files }
}

/** The suite's content hash from its files, as `suite.json` must state it. */
export function digestOf(files: Map<string, Buffer>): string {
  const hashed = [...files].map(([path, bytes]) => ({ path, sha256: sha256(bytes) }))
  return sha256(Buffer.from(suiteDigestInput(hashed)))
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function checkReferences(tasks: Task[], files: Map<string, Buffer>): void {
  for (const { id, reference, referenceSha256 } of tasks) {
    if (reference === null) continue
    const bytes = files.get(reference)
    if (bytes === undefined)
      throw new AppError('bad_suite', `Task ${id} names ${reference}, which is not there.`)
    if (referenceSha256 !== null && sha256(bytes) !== referenceSha256) {
      throw new AppError(
        'bad_suite',
        `The reference body of task ${id} is not the one that tasks.jsonl states.`,
      )
    }
  }
}

/** Relative paths of all files, in any order. A link could change under a frozen suite and is refused. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name).slice(join(folder, '/').length).replaceAll('\\', '/')
    if (entry.isDirectory()) return []
    if (!entry.isFile()) throw new AppError('bad_suite', `The suite holds ${path}, which is no plain file.`)
    return [path]
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new AppError('bad_suite', `There is no suite to read at ${path}.`)
  }
}

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'
import { suiteDigestInput } from '#shared/domain/suite-digest.ts'

const run = promisify(execFile)

/**
 * Writes the files of a commit under `dest`, without any history: a `.git` would hold the very bodies that were held out. Attributes for
 * exports are not heeded and no filter of the user's is run, so that the tree is the commit's own.
 * @returns the commit's full hash. @throws AppError `git_failed`.
 */
export async function exportCommit(repo: string, commit: string, dest: string): Promise<string> {
  const git = async (args: string[], env: Record<string, string> = {}) => {
    const { stdout } = await run(
      'git',
      [
        '-C',
        repo,
        '-c',
        'safe.directory=*',
        '-c',
        'core.bare=false',
        '-c',
        'core.autocrlf=false',
        '-c',
        'core.attributesFile=/dev/null',
        ...args,
      ],
      { env: { ...process.env, GIT_TERMINAL_PROMPT: '0', ...env }, maxBuffer: 16 * 1024 * 1024 },
    )
    return stdout.trim()
  }
  try {
    const sha = await git(['rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`])
    await mkdir(dest, { recursive: true })
    // A work tree of its own, so that a bare repository will do.
    const env = { GIT_INDEX_FILE: `${dest}.index`, GIT_WORK_TREE: dest }
    await git(['read-tree', sha], env)
    await git(['checkout-index', '--all', '--force'], env)
    await rm(`${dest}.index`, { force: true })
    return sha
  } catch (cause) {
    const said = String((cause as { stderr?: string }).stderr ?? cause)
      .trim()
      .split('\n')
      .at(-1)
    throw new AppError('git_failed', `The commit ${commit} of ${repo} cannot be checked out: ${said}.`, {
      cause,
    })
  }
}

/** Copies a plain folder, without build products, history and `except` (a suite inside its own workspace holds the answers). */
export async function copyTree(source: string, dest: string, except: string): Promise<void> {
  await cp(source, dest, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      const inside = relative(source, path).split(sep)
      return path !== except && !inside.includes('.git') && inside.at(-1) !== 'target'
    },
  })
}

/** Takes suites out of a tree: beside their workspace in its own repository, they hold the bodies that were held out. */
export async function dropSuites(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (entry.name !== 'suite.json' || !entry.isFile()) continue
    const names: string[] = await readdir(entry.parentPath).catch(() => [])
    if (names.includes('tasks.jsonl')) await rm(entry.parentPath, { recursive: true, force: true })
  }
}

export type TreeEntry = { path: string; size: number; mode: number; mtimeNs: bigint; link: string | null }

/** Every file and link under `dir` in order of path, folders themselves left out. */
export async function listTree(dir: string): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = []
  const walk = async (prefix: string): Promise<void> => {
    for (const entry of await readdir(`${dir}/${prefix}`, { withFileTypes: true })) {
      const path = prefix + entry.name
      if (entry.isDirectory()) await walk(`${path}/`)
      else {
        const stat = await lstat(`${dir}/${path}`, { bigint: true })
        const link = entry.isSymbolicLink() ? await readlink(`${dir}/${path}`) : null
        entries.push({ path, size: Number(stat.size), mode: Number(stat.mode), mtimeNs: stat.mtimeNs, link })
      }
    }
  }
  await walk('')
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The content hash of a tree, in the form of a suite's. */
export async function treeDigest(dir: string): Promise<string> {
  const files = []
  for (const { path, link } of await listTree(dir)) {
    const bytes = link === null ? await readFile(`${dir}/${path}`) : `link ${link}`
    files.push({ path, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  return createHash('sha256').update(suiteDigestInput(files)).digest('hex')
}

/** `path` under `root`, or an error where it leads out. */
export function within(root: string, path: string): string {
  const full = resolve(root, path)
  const inside = relative(root, full)
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new AppError('bad_suite', `The path ${path} leads out of the repository.`)
  return full
}

import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { SourceDraft, SuiteSource } from '#shared/domain/run.ts'
import type { SuiteOption } from '#shared/ipc/contract.ts'
import type { Suite } from './suites.ts'

const run = promisify(execFile)

/** A suite's own word for where its workspace lies, relative to itself; the verifier holds the folder against the hash beside it. */
const WorkspaceFile = z.object({ folder: z.string().min(1) })

/** Where the surroundings of a suite's bodies come from; null for bodies that are programs of their own. */
export async function needsOf(suite: Suite): Promise<SuiteOption['needs']> {
  if (suite.manifest.grader !== 'cargo') return null
  return (await ownFolder(suite)) === null ? 'commit' : 'folder'
}

/** The commit that all of its tasks were made at; null where they were not made at one. */
export function madeAt({ tasks }: Suite): string | null {
  const [first, ...others] = new Set(tasks.map((task) => task.sourceCommit ?? null))
  return others.length === 0 ? (first ?? null) : null
}

/**
 * What is asked for, made exact: a commit by its full hash, a folder by its whole path. Without being asked, a suite's own folder.
 * @throws {AppError} `bad_spec` where a repository is needed and none is named, `git_failed` where it lacks the commit.
 */
export async function resolveSource(suite: Suite, asked: SourceDraft | null): Promise<SuiteSource | null> {
  if (suite.manifest.grader !== 'cargo') return null
  if (asked !== null) return commitOf(asked)
  const folder = await ownFolder(suite)
  if (folder !== null) return { kind: 'folder', folder }
  throw new AppError('bad_spec', `source: ${suite.manifest.name} needs a repository and a commit.`)
}

/** The words by which a verifier is told of it. */
export function sourceArguments(source: SuiteSource | null | undefined): string[] {
  if (!source) return []
  return source.kind === 'commit'
    ? ['--repo', source.repo, '--commit', source.commit]
    : ['--workspace', source.folder]
}

async function ownFolder({ path }: Suite): Promise<string | null> {
  const text = await readFile(join(path, 'workspace.json'), 'utf8').catch(() => null)
  if (text === null) return null
  const parsed = WorkspaceFile.safeParse(JSON.parse(text))
  if (!parsed.success) throw new AppError('bad_suite', `${join(path, 'workspace.json')} names no folder.`)
  return resolve(path, parsed.data.folder)
}

async function commitOf({ repo: named, commit: asked }: SourceDraft): Promise<SuiteSource> {
  const repo = resolve(named.replace(/^~(?=\/|$)/, homedir()))
  const args = ['-C', repo, '-c', 'safe.directory=*', 'rev-parse', '--verify', '--end-of-options']
  try {
    const { stdout } = await run('git', [...args, `${asked}^{commit}`], {
      timeout: 30_000,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    })
    return { kind: 'commit', repo, commit: stdout.trim() }
  } catch (failure) {
    const { code, stderr } = failure as NodeJS.ErrnoException & { stderr?: string }
    if (code === 'ENOENT')
      throw new AppError('git_failed', 'There is no git on this machine.', { hint: 'Install git.' })
    const said = (stderr ?? String(failure)).trim().split('\n').at(-1)
    throw new AppError('git_failed', `The commit ${asked} of ${repo} cannot be read: ${said}.`)
  }
}

import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { AppError } from '#shared/base/errors.ts'
import type { GraderOptions } from '../grader.ts'

const run = promisify(execFile)

/**
 * The commit that the suite was read from, as git says it: the one that is checked out in the repository, where the suite's folder lies in it
 * and differs from it in nothing. Null where no repository was named.
 * @throws AppError `git_failed` where it is another commit than the one that was asked for, or the folder was changed.
 */
export async function pinnedCommit({ repo, commit, suiteFolder }: GraderOptions): Promise<string | null> {
  if (repo === null) return null
  const git = async (...args: string[]) => {
    try {
      const { stdout } = await run('git', ['-C', repo, '-c', 'safe.directory=*', ...args])
      return stdout.trim()
    } catch (cause) {
      const said = (cause as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(cause)
      throw new AppError('git_failed', `${repo} is no repository that can be asked: ${said}.`, { cause })
    }
  }
  const head = await git('rev-parse', '--verify', 'HEAD^{commit}')
  const wanted =
    commit === null ? head : await git('rev-parse', '--verify', '--end-of-options', `${commit}^{commit}`)
  if (wanted !== head)
    throw new AppError('git_failed', `${repo} has ${head} checked out, not the pinned ${wanted}.`)
  const folder = await realpath(suiteFolder)
  const changed = await git('status', '--porcelain', '--ignored', '--', folder)
  if (changed !== '')
    throw new AppError(
      'git_failed',
      `The suite at ${suiteFolder} is not what commit ${head} holds: ${changed.split('\n')[0]}.`,
    )
  return head
}

import { resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '#shared/base/errors.ts'
import type { Suite } from '../../suite/load.ts'
import type { GraderOptions } from '../grader.ts'
import type { Source, Workspace } from './workspace.ts'

/** `workspace.json` of a suite whose workspace is a plain folder beside it; the suite's own digest pins the folder's. */
const WorkspaceFile = z.object({ folder: z.string(), sha256: z.string() })

function workspaceFile(suite: Suite): z.infer<typeof WorkspaceFile> | null {
  const bytes = suite.files.get('workspace.json')
  if (!bytes) return null
  const parsed = WorkspaceFile.safeParse(JSON.parse(bytes.toString('utf8')))
  if (!parsed.success) throw new AppError('bad_suite', 'workspace.json must name a folder and its sha256.')
  return parsed.data
}

/** Where a suite's workspace comes from: the given commit of a repository, else the folder it names itself. */
export function sourceOf(suite: Suite, options: GraderOptions): Source {
  if (options.repo !== null && options.commit !== null) return { repo: options.repo, commit: options.commit }
  if (options.repo !== null)
    throw new AppError('bad_input', 'A repository was given without a commit (--commit SHA).')
  const file = workspaceFile(suite)
  if (!file) throw new AppError('bad_input', 'A cargo suite needs a repository (--repo DIR --commit SHA).')
  const folder = options.workspace ?? resolve(options.suiteFolder, file.folder)
  return { folder, except: resolve(options.suiteFolder) }
}

/** @throws AppError `bad_suite` where the named folder is not the one that the suite was made for. */
export function checkDigest(suite: Suite, options: GraderOptions, workspace: Workspace): void {
  const file = options.repo === null ? workspaceFile(suite) : null
  if (!file || workspace.commit === `tree:${file.sha256}`) return
  const message = `The suite is for the workspace with sha256 ${file.sha256}; ${file.folder} is ${workspace.commit}.`
  throw new AppError('bad_suite', message, {
    hint: 'Make the suite anew from the changed workspace, as a new version.',
  })
}

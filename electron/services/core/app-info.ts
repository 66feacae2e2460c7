import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { AppInfo } from '#shared/ipc/contract.ts'
import { findPython } from '../runs/preflight/checks.ts'

/** What this installation is and stands on, for the window's first look. */
export async function appInfo(options: {
  version: string
  shell: AppInfo['shell']
  home: string
  env: NodeJS.ProcessEnv
}): Promise<AppInfo> {
  return {
    version: options.version,
    shell: options.shell,
    dataDir: options.home,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    python: await findPython(options.env),
    isolation: await isolation(options.env),
  }
}

/** A first guess; the verifier tries the sandbox itself, and its word is in the checks before a launch. */
async function isolation(env: NodeJS.ProcessEnv): Promise<AppInfo['isolation']> {
  if (process.platform === 'linux' && (await onPath('bwrap', env))) {
    return { level: 'sandbox', detail: 'bubblewrap is installed' }
  }
  return {
    level: 'limits',
    detail: 'no sandbox here: candidates run under process limits only',
  }
}

async function onPath(name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const found = await access(join(folder, name)).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}

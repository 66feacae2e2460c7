import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Copies a folder with its times, sharing blocks with the original where the file system can (reflink, clonefile). Never by hard links: a
 * compiler may write into a file in place, and then one slot's build would be in all.
 */
export async function cloneFolder(from: string, to: string): Promise<'shared' | 'copied'> {
  await rm(to, { recursive: true, force: true })
  const attempts: [string[], 'shared' | 'copied'][] =
    process.platform === 'darwin'
      ? [
          [['-cRp'], 'shared'],
          [['-Rp'], 'copied'],
        ]
      : [
          [['-a', '--reflink=always'], 'shared'],
          [['-a', '--reflink=auto'], 'copied'],
          [['-Rp'], 'copied'],
        ]
  let last: unknown
  for (const [flags, how] of attempts) {
    try {
      await run('cp', [...flags, from, to])
      return how
    } catch (failure) {
      last = failure
      await rm(to, { recursive: true, force: true })
    }
  }
  throw last
}

/** Bytes that a folder takes on disk. */
export async function folderBytes(path: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', path])
  return Number.parseInt(stdout, 10) * 1024
}

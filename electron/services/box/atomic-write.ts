import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { diskError, syncFolder } from '../store/durable.ts'

/**
 * Replaces a file whole or not at all, synced: a reader sees the old content or the new one, also after a power cut.
 * @throws {AppError} `disk_full`, with the old content still there.
 */
export async function writeAtomic(path: string, content: string, mode = 0o600): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (failure) {
    await rm(temporary, { force: true })
    throw diskError(failure, `write ${basename(path)}`)
  }
}

import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file whole or not at all, synced: a reader sees the old content or the new one, also after a power cut. */
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
  } catch (failure) {
    await rm(temporary, { force: true })
    throw failure
  }
  await syncFolder(dirname(path))
}

/** Makes a rename or a new name in `folder` survive a power cut. Some platforms cannot sync a folder; then the rename alone must do. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

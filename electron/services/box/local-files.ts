import { watch as watchFolder } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { BoxFiles, FileStat } from './files.ts'

/** The run's folder where the box is this machine. */
export function localFiles(folder: string): BoxFiles {
  return {
    stat: (path) => statFile(join(folder, path)),
    read: (path, offset, lengthBytes) => readRange(join(folder, path), offset, lengthBytes),
    watch(path, onHint) {
      const name = basename(path)
      try {
        const watcher = watchFolder(dirname(join(folder, path)), { persistent: false }, (_, changed) => {
          if (changed === null || changed === name) onHint()
        })
        // A watch is a hint only; where the system gives none (or no longer), the poll is what is relied on.
        watcher.on('error', () => watcher.close())
        return { dispose: () => watcher.close() }
      } catch {
        return { dispose: () => undefined }
      }
    },
  }
}

const isAbsent = (failure: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((failure as NodeJS.ErrnoException).code ?? '')

async function statFile(path: string): Promise<FileStat | null> {
  try {
    const found = await stat(path)
    return { sizeBytes: found.size, identity: `${found.dev}:${found.ino}`, modifiedAt: found.mtime }
  } catch (failure) {
    if (isAbsent(failure)) return null
    throw failure
  }
}

async function readRange(path: string, offset: number, lengthBytes: number): Promise<Uint8Array> {
  const file = await open(path, 'r').catch((failure: unknown) => {
    throw isAbsent(failure) ? new AppError('not_found', `There is no file ${path}.`) : failure
  })
  try {
    const bytes = new Uint8Array(lengthBytes)
    let filled = 0
    while (filled < lengthBytes) {
      const { bytesRead } = await file.read(bytes, filled, lengthBytes - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } finally {
    await file.close()
  }
}

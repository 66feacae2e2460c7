import { type FSWatcher, watch } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname, join, normalize, sep } from 'node:path'
import { AppError } from '#shared/base/errors.ts'
import type { BoxFiles } from '../box/files.ts'

/** The files below a folder of this machine. */
export function localFiles(root: string): BoxFiles {
  return {
    async stat(path) {
      try {
        const found = await stat(inside(root, path), { bigint: true })
        return {
          sizeBytes: Number(found.size),
          identity: `${found.dev}:${found.ino}`,
          modifiedAt: new Date(Number(found.mtimeMs)),
        }
      } catch (failure) {
        if (isMissing(failure)) return null
        throw unreachable(path, failure)
      }
    },
    async read(path, offset, lengthBytes) {
      const handle = await open(inside(root, path), 'r').catch((failure: unknown) => {
        if (isMissing(failure)) throw new AppError('not_found', `There is no ${path} in ${root}.`)
        throw unreachable(path, failure)
      })
      try {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(lengthBytes), 0, lengthBytes, offset)
        return buffer.subarray(0, bytesRead)
      } catch (failure) {
        throw unreachable(path, failure)
      } finally {
        await handle.close()
      }
    },
    watch: (path, onHint) => watchFolderOf(inside(root, path), onHint),
  }
}

/** Watches the folder, not the file: the file may not be there yet, or be replaced. No hints where the system has none to give. */
function watchFolderOf(path: string, onHint: () => void) {
  let watcher: FSWatcher | null = null
  try {
    watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === basename(path)) onHint()
    })
    watcher.on('error', () => watcher?.close())
  } catch {
    // Polling alone finds everything, only later.
  }
  return { dispose: () => watcher?.close() }
}

function inside(root: string, path: string): string {
  const whole = normalize(join(root, path))
  if (!whole.startsWith(normalize(root + sep)))
    throw new AppError('bad_input', `${path} leads out of ${root}.`)
  return whole
}

const isMissing = (failure: unknown) =>
  ['ENOENT', 'ENOTDIR'].includes((failure as NodeJS.ErrnoException).code ?? '')

function unreachable(path: string, failure: unknown): AppError {
  if (failure instanceof AppError) return failure
  const why = failure instanceof Error ? failure.message : String(failure)
  return new AppError('unreachable', `Could not read ${path}: ${why}.`, { cause: failure })
}

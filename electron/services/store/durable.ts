import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, toAppError } from '#shared/base/errors.ts'

const fullCodes = new Set(['ENOSPC', 'EDQUOT'])

/** A disk's failure as one clear error; `doing` completes "Could not …". */
export function diskError(failure: unknown, doing: string): AppError {
  if (failure instanceof AppError) return failure
  const code = (failure as NodeJS.ErrnoException).code ?? ''
  if (fullCodes.has(code))
    return new AppError('disk_full', `Could not ${doing}: the disk is full.`, { cause: failure })
  return new AppError(
    'internal',
    `Could not ${doing}: ${failure instanceof Error ? failure.message : String(failure)}.`,
    {
      cause: failure,
      hint: 'Check that the data folder can be written to.',
    },
  )
}

/** Writes all of `bytes` at `position`: a single `write` may be cut short where space runs out. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
    if (bytesWritten === 0)
      throw Object.assign(new Error('nothing more could be written'), { code: 'ENOSPC' })
    done += bytesWritten
  }
}

/**
 * Makes names in a folder outlast a power cut. Some systems (Windows) cannot sync a folder; their file systems order a rename behind the
 * file's own sync, so nothing is to be done there.
 */
export async function syncFolder(path: string): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(path, 'r')
  } catch (failure) {
    if (process.platform === 'win32') return
    throw failure
  }
  try {
    await handle.sync()
  } catch (failure) {
    const code = (failure as NodeJS.ErrnoException).code ?? ''
    if (!['EISDIR', 'EPERM', 'EINVAL', 'ENOTSUP'].includes(code)) throw failure
  } finally {
    await handle.close()
  }
}

/** Makes a folder and everything above it, each name synced into its parent. */
export async function makeFolder(path: string): Promise<void> {
  try {
    const first = await mkdir(path, { recursive: true })
    if (first === undefined) return
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
  } catch (failure) {
    throw diskError(toAppErrorUnlessCoded(failure), `make the folder ${path}`)
  }
}

const toAppErrorUnlessCoded = (failure: unknown) =>
  (failure as NodeJS.ErrnoException).code === undefined ? toAppError(failure) : failure

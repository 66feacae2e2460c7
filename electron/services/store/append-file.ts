import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Disposable } from '#shared/base/disposable.ts'
import { diskError, makeFolder, syncFolder, writeFully } from './durable.ts'

const newline = 10
const lookBackBytes = 64 * 1024

/**
 * A file of lines that only grows, and that never shows a line to a reader before it is on the disk. A torn last line, left by a crash in the
 * middle of a write, is cut off when the file is opened: it was never acknowledged to anyone.
 */
export class AppendFile implements Disposable {
  readonly path: string
  /** Bytes of a torn line that opening cut off. */
  readonly repairedBytes: number
  private readonly handle: FileHandle
  private bytes: number
  private queue: Promise<unknown> = Promise.resolve()

  private constructor(path: string, handle: FileHandle, bytes: number, repairedBytes: number) {
    this.path = path
    this.handle = handle
    this.bytes = bytes
    this.repairedBytes = repairedBytes
  }

  /** Opens or makes the file. @throws {AppError} `disk_full`, or `internal` where the folder cannot be written. */
  static async open(path: string): Promise<AppendFile> {
    await makeFolder(dirname(path))
    let handle: FileHandle
    try {
      handle = await openOrMake(path)
    } catch (failure) {
      throw diskError(failure, `open ${path}`)
    }
    try {
      const { size } = await handle.stat()
      const whole = await endOfLastLine(handle, size)
      if (whole < size) {
        await handle.truncate(whole)
        await handle.sync()
      }
      return new AppendFile(path, handle, whole, size - whole)
    } catch (failure) {
      await handle.close()
      throw diskError(failure, `read ${path}`)
    }
  }

  /** Bytes that are on the disk, all of them whole lines: where to resume. */
  get sizeBytes(): number {
    return this.bytes
  }

  /**
   * Appends whole lines and resolves when they are on the disk. Where it fails nothing of them is left behind, and the same call may be made again.
   * @throws {AppError} `disk_full`
   */
  append(lines: Uint8Array): Promise<void> {
    const turn = this.queue.then(() => this.write(lines))
    this.queue = turn.catch(() => {})
    return turn
  }

  async dispose(): Promise<void> {
    await this.queue
    await this.handle.close()
  }

  private async write(lines: Uint8Array): Promise<void> {
    if (lines.length === 0) return
    if (lines[lines.length - 1] !== newline) throw new RangeError('only whole lines are appended')
    try {
      await writeFully(this.handle, lines, this.bytes)
      await this.handle.datasync()
      this.bytes += lines.length
    } catch (failure) {
      await this.handle.truncate(this.bytes).catch(() => {})
      throw diskError(failure, `append to ${this.path}`)
    }
  }
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+')
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ENOENT') throw failure
    const handle = await open(path, 'wx+', 0o600)
    await syncFolder(dirname(path))
    return handle
  }
}

/** The offset behind the last newline. */
async function endOfLastLine(handle: FileHandle, sizeBytes: number): Promise<number> {
  const window = Buffer.alloc(Math.min(lookBackBytes, sizeBytes))
  for (let end = sizeBytes; end > 0; end -= window.length) {
    const from = Math.max(0, end - window.length)
    const { bytesRead } = await handle.read(window, 0, end - from, from)
    const at = window.subarray(0, bytesRead).lastIndexOf(newline)
    if (at !== -1) return from + at + 1
  }
  return 0
}

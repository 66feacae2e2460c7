import type { Disposable } from '#shared/base/disposable.ts'

/** What can be said of a file without reading it. */
export type FileStat = {
  sizeBytes: number
  /** Changes when the file is replaced by another of the same name (device and inode, where the box has them). */
  identity: string
  modifiedAt: Date
}

/**
 * The files of one run on its box. Paths are relative to the run’s folder there, with `/`. The local box reads its own disk, a box behind SSH asks
 * a small program there; nobody else needs to know which.
 */
export type BoxFiles = {
  /** @returns null where there is no such file. @throws {AppError} `unreachable` where the box did not answer. */
  stat(path: string): Promise<FileStat | null>
  /**
   * Up to `lengthBytes` bytes from `offset`; shorter at the end of the file, empty behind it.
   * @throws {AppError} `not_found` where there is no such file, `unreachable` where the box did not answer.
   */
  read(path: string, offset: number, lengthBytes: number): Promise<Uint8Array>
  /** A hint that `path` may have changed; a box that cannot give hints leaves this out, and is polled. */
  watch?(path: string, onHint: () => void): Disposable
  /** Told when a box that did not answer is there again; absent where there is no link that could break. */
  onBack?(listener: () => void): Disposable
}

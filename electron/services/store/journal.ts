import { open } from 'node:fs/promises'
import { type Line, LineCutter } from '#shared/journal/decode.ts'

const chunkBytes = 2 * 1024 * 1024
const utf8 = new TextDecoder()

/** UTF-8 bytes as text; what is no UTF-8 becomes U+FFFD, so that a damaged line is shown rather than lost. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes)

/**
 * The whole lines of a file from `offset` on, in portions of some 2 MiB so that a reader can do its work in batches. A torn last
 * line is not among them. Nothing at all where there is no such file.
 */
export async function* readLines(path: string, offset: number): AsyncGenerator<Line[]> {
  const handle = await open(path, 'r').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return null
    throw failure
  })
  if (handle === null) return
  try {
    const cutter = new LineCutter(decodeUtf8, offset)
    for (let at = offset; ; ) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at)
      if (bytesRead === 0) return
      at += bytesRead
      const lines = cutter.push(buffer.subarray(0, bytesRead))
      if (lines.length > 0) yield lines
    }
  } finally {
    await handle.close()
  }
}

/** Up to `lengthBytes` bytes at `offset`; null where there is no such file. */
export async function readRange(
  path: string,
  offset: number,
  lengthBytes: number,
): Promise<Uint8Array | null> {
  const handle = await open(path, 'r').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return null
    throw failure
  })
  if (handle === null) return null
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(lengthBytes), 0, lengthBytes, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

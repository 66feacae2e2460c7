import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#shared/base/errors.ts'

export type CorpusFile = { path: string; bytes: number }

/** Folders that hold no text of their own: a repository's objects. */
const skipped = new Set(['.git'])

/** @throws {AppError} `bad_input` where a path is not there or all of them together hold nothing. */
export async function corpusFiles(paths: readonly string[]): Promise<CorpusFile[]> {
  const files: CorpusFile[] = []
  for (const path of paths) {
    const found = await stat(path).catch((failure: NodeJS.ErrnoException) => {
      throw new AppError('bad_input', `--corpus ${path} cannot be read: ${failure.code ?? failure.message}.`)
    })
    if (found.isDirectory()) await walk(path, files)
    else files.push({ path, bytes: found.size })
  }
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) === 0)
    throw new AppError('bad_input', `--corpus ${paths.join(' ')} holds no text at all.`, {
      hint: 'Name the files that models are trained on; without --corpus nothing is looked for.',
    })
  return files
}

async function walk(folder: string, files: CorpusFile[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) await walk(path, files)
    } else if (entry.isFile()) files.push({ path, bytes: (await stat(path)).size })
  }
}

export type Place = { line: number; context: string }

/**
 * Of places in a file their lines, and a piece of text around each, in the order of `offsets`: read again in one pass, for a scan that counted
 * lines would be slower for everybody.
 */
export async function placesIn(path: string, offsets: readonly number[]): Promise<Place[]> {
  const order = [...offsets.keys()].sort((a, b) => (offsets[a] ?? 0) - (offsets[b] ?? 0))
  const places: Place[] = offsets.map(() => ({ line: 1, context: '' }))
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(1024 * 1024)
    const around = Buffer.alloc(contextBytes)
    let line = 1
    let at = 0
    for (const index of order) {
      const offset = offsets[index] ?? 0
      while (at < offset) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, offset - at), at)
        if (bytesRead === 0) break
        const piece = buffer.subarray(0, bytesRead)
        for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, end + 1)) line += 1
        at += bytesRead
      }
      const { bytesRead } = await file.read(around, 0, contextBytes, Math.max(0, offset - contextBytes / 8))
      places[index] = { line, context: new TextDecoder().decode(around.subarray(0, bytesRead)) }
    }
    return places
  } finally {
    await file.close()
  }
}

const contextBytes = 400

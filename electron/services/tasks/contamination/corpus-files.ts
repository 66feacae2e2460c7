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

/** A piece of a file around `offset`, for a person. */
export async function contextAt(path: string, offset: number, bytes = 400): Promise<string> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    const from = Math.max(0, offset - 40)
    const { bytesRead } = await file.read(buffer, 0, bytes, from)
    return new TextDecoder().decode(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

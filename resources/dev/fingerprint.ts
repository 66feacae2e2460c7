import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

const skipped = /(^|\/)(node_modules|out|test-results|__pycache__|testing|\.git)(\/|$)|\.test\.tsx?$/

/** Every file below the given files and folders that a build may read, as paths from `root`, sorted. What is not there is left out. */
export async function sourcesOf(root: string, places: string[]): Promise<string[]> {
  const found = await Promise.all(places.map((place) => filesBelow(join(root, place))))
  return found
    .flat()
    .map((file) => relative(root, file))
    .filter((file) => !skipped.test(file))
    .sort()
}

/** A sha256 over names and contents: times of files say nothing after a checkout. */
export async function fingerprint(root: string, places: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of await sourcesOf(root, places)) {
    hash.update(`${file}\0`)
    hash.update(await readFile(join(root, file)))
    hash.update('\0')
  }
  return hash.digest('hex')
}

async function filesBelow(place: string): Promise<string[]> {
  try {
    const entries = await readdir(place, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch (failure) {
    const { code } = failure as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return [place]
    if (code === 'ENOENT') return []
    throw failure
  }
}

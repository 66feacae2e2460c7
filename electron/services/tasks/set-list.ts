import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'

const Paths = z.array(z.string())

/** Folders of suites that were made here, oldest first. A list that cannot be read is begun anew: it only says where to look. */
export async function readSetList(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]')
  try {
    return Paths.parse(JSON.parse(text))
  } catch {
    return []
  }
}

export async function addToSetList(file: string, folder: string): Promise<void> {
  const before = await readSetList(file)
  const fresh = `${file}.${process.pid}.tmp`
  await writeFile(fresh, `${JSON.stringify([...before.filter((path) => path !== folder), folder])}\n`)
  await rename(fresh, file)
}

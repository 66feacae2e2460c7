import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Suite } from '../runs/suites.ts'

export type HeldOut = { task: string; file: string; function: string; body: string }

/** The bodies that a suite over a repository holds out, with where they stand; none for suites of other kinds. */
export async function referencesOf(suite: Suite): Promise<HeldOut[]> {
  const found: HeldOut[] = []
  for (const { id, reference, file, function: name } of suite.tasks)
    if (reference !== null && typeof file === 'string' && typeof name === 'string')
      found.push({
        task: id,
        file,
        function: name,
        body: await readFile(join(suite.path, reference), 'utf8'),
      })
  return found
}

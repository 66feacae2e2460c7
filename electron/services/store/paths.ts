import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { RunId } from '#shared/base/ids.ts'

/** Where things lie in a data folder. */
export const storePaths = (home: string) => ({
  runs: join(home, 'runs'),
  runFolder: (run: string) => join(home, 'runs', run),
  journal: (run: string) => join(home, 'runs', run, 'journal.jsonl'),
  console: (run: string) => join(home, 'runs', run, 'console.jsonl'),
  spec: (run: string) => join(home, 'runs', run, 'spec.json'),
  evidence: join(home, 'evidence'),
  index: join(home, 'index.sqlite'),
})
export type StorePaths = ReturnType<typeof storePaths>

/** Runs that have a folder, oldest first (by id, which starts with the day). Other folders are not runs and are left alone. */
export function listRuns(paths: StorePaths): string[] {
  try {
    return readdirSync(paths.runs)
      .filter((name) => RunId.safeParse(name).success)
      .sort()
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw failure
  }
}

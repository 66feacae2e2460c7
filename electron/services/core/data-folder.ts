import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AppError } from '#shared/base/errors.ts'

type Where = { env: NodeJS.ProcessEnv; platform: NodeJS.Platform; home: string }

/** Where the console keeps everything: `RINGSIDE_HOME`, else what the platform says is the place for an application's data. */
export function dataFolder(
  where: Where = { env: process.env, platform: process.platform, home: homedir() },
): string {
  const { env, platform, home } = where
  if (env.RINGSIDE_HOME) return resolve(env.RINGSIDE_HOME)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Ringside')
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'ringside')
}

/** Creates the data folder, readable by its owner only: rollouts and logs are the operator's own. */
export async function ensureDataFolder(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('bad_input', `The data folder ${home} cannot be created: ${why}.`, {
      hint: 'Choose a writable folder with RINGSIDE_HOME.',
      cause,
    })
  }
}

/** The rooms of a data folder, in one place. */
export const rooms = (home: string) => ({
  lock: join(home, 'console.lock'),
  leases: join(home, 'leases.jsonl'),
  settings: join(home, 'settings.json'),
  runs: join(home, 'runs'),
  /** The machines behind SSH, and the host keys that a person trusted here. */
  boxList: join(home, 'boxes.json'),
  hostKeys: join(home, 'known_hosts'),
  boxes: join(home, 'boxes', 'local'),
  /** Colours of clusters, and which may be changed. */
  clusters: join(home, 'clusters.json'),
  /** Mutants that a person holds equivalent to their reference. */
  mutantMarks: join(home, 'equivalent-mutants.jsonl'),
  /** What was measured of whole suites by their mutants, a file a pair of suites. */
  mutantReports: join(home, 'mutants'),
  /** Suites that the console made, each a frozen folder; offered at a launch. */
  madeSuites: join(home, 'made-suites'),
  /** Folders of suites that were built or imported here. */
  taskSets: join(home, 'task-sets.json'),
  /** Tables of saved draws that were opened here. */
  studies: join(home, 'studies.json'),
  /** Data of the console's own short-lived verifiers. */
  scratch: join(home, 'scratch'),
})

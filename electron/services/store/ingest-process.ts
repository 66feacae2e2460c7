import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ConsoleRecord } from '#shared/journal/events.ts'
import { localFiles } from '../telemetry/local-files.ts'
import { openStore } from './store.ts'

/**
 * A console that only ingests, for the crash test: follows a run on a made-up box, fetches its evidence and records audits, until it is killed.
 * Arguments: data folder, box folder, run, a file of console records to write. Says `ready` when it follows.
 */
const [home = '', box = '', run = '', records = ''] = process.argv.slice(2)
const store = await openStore({
  home,
  now: () => new Date(),
  boxFiles: () => localFiles(box),
  fetchEvidence: (_, sha256) => readFile(join(box, 'evidence', sha256)).catch(() => null),
  pollMs: 3,
})
store.follow(run)
process.stdout.write('ready\n')
for (const line of (await readFile(records, 'utf8')).split('\n').filter((text) => text !== '')) {
  await store.record(run, JSON.parse(line) as ConsoleRecord)
  await new Promise((resolve) => setTimeout(resolve, 5))
}

import { renameSync, rmSync } from 'node:fs'
import { Database, isDamage, sqliteCorrupt } from './database.ts'
import { schema, schemaVersion } from './schema.ts'

export type OpenedIndex = { db: Database; rebuilt: string | null }

const pragmas = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -32768;
`

/**
 * Opens the index, or starts an empty one where there is none, where its version is another, or where SQLite finds it damaged (the damaged file
 * is kept aside). @returns why it was started anew, null where it was not.
 */
export function openIndex(path: string): OpenedIndex {
  try {
    const found = openExisting(path)
    if (found) return { db: found, rebuilt: null }
  } catch (failure) {
    if (!isDamage(failure)) throw failure
    setAside(path)
    return { db: create(path), rebuilt: 'the index was damaged' }
  }
  return { db: create(path), rebuilt: 'there was no index of this version' }
}

function openExisting(path: string): Database | null {
  const db = new Database(path)
  try {
    db.exec(pragmas)
    const version = db.get<{ user_version: number }>('PRAGMA user_version')?.user_version
    if (version === schemaVersion) {
      // A full check reads the whole file, seconds on a large one: it is made only where the last user did not close it in good order.
      if (!db.takeCleanMark()) check(db)
      return db
    }
  } catch (failure) {
    db.dispose()
    throw failure
  }
  db.dispose()
  return null
}

function check(db: Database): void {
  const found = db.get<{ quick_check: string }>('PRAGMA quick_check(1)')?.quick_check ?? 'no answer'
  if (found !== 'ok') throw Object.assign(new Error(found), { errcode: sqliteCorrupt })
}

function create(path: string): Database {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  const db = new Database(path)
  try {
    db.exec(pragmas)
    db.transaction(() => {
      db.exec(schema)
      db.exec(`PRAGMA user_version = ${schemaVersion}`)
    })
    return db
  } catch (failure) {
    db.dispose()
    throw failure
  }
}

/** The last damaged index is kept for whoever wants to know why; it is never read again. */
function setAside(path: string): void {
  renameSync(path, `${path}.damaged`)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
}

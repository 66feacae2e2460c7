import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AppError } from '#shared/base/errors.ts'

/**
 * Holds a data folder for this process alone, by the lock of an SQLite file in it: the system takes it back when the process ends, however
 * it ends, so that no stale lock is ever met.
 * @throws AppError `already_open`.
 */
export function lockFolder(folder: string): { dispose(): void } {
  const database = new DatabaseSync(join(folder, 'lock.sqlite'))
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (failure) {
    database.close()
    throw new AppError('already_open', `Another verifier works in ${folder}.`, {
      hint: 'Use another --data folder, or end the other verifier first.',
      cause: failure,
    })
  }
  return { dispose: () => database.close() }
}

import { Disposables } from '#shared/base/disposable.ts'
import { Emitter } from '#shared/base/emitter.ts'
import { makeFolder } from './durable.ts'
import { openIndex } from './index/open-index.ts'
import { OpenStore } from './open-store.ts'
import { listRuns, storePaths } from './paths.ts'
import type { Store, StoreDeps } from './types.ts'

export type { BodyRow, EvidenceGap, Notice, Regrade, Store, StoreDeps } from './types.ts'

/**
 * Opens the data folder's truth and its index, rebuilding the index where it is missing, of another version or damaged. Only one process may have a
 * data folder open at a time.
 * @throws {AppError} `disk_full`, or `internal` where the folder cannot be written.
 */
export async function openStore(deps: StoreDeps): Promise<Store> {
  const paths = storePaths(deps.home)
  await makeFolder(deps.home)
  const { db, rebuilt } = openIndex(paths.index)
  const owned = new Disposables()
  owned.add(db)
  const advanced = new Emitter<{ run: string; seq: number }>()
  const store = new OpenStore(deps, paths, db, owned, advanced)
  try {
    await store.evidenceStore.sweepDrafts()
    const runs = listRuns(paths)
    if (rebuilt && runs.length > 0)
      deps.onNotice?.({ run: null, level: 'info', text: `Building the index again: ${rebuilt}.` })
    for (const run of runs) await store.takeUp(run)
    return store
  } catch (failure) {
    await store.dispose()
    throw failure
  }
}

import { AppError } from '#shared/base/errors.ts'
import type { Store, StoreDeps } from './types.ts'

export type { BodyRow, EvidenceGap, Notice, Store, StoreDeps, StoreHandlers, Verdict } from './types.ts'

/** Opens the data folder's truth and its index, rebuilding the index where it is missing, of another version or damaged. */
export async function openStore(deps: StoreDeps): Promise<Store> {
  throw new AppError('internal', `The store at ${deps.home} is not written yet.`)
}

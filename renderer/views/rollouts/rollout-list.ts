import { Emitter } from '#shared/base/emitter.ts'
import type { RolloutPage, RolloutRow } from '#shared/ipc/contract.ts'
import type { KnownValues } from '#shared/rollouts/filter-edit.ts'
import { core } from '../../app/core.ts'
import type { RolloutSort } from '../../app/routes.ts'
import { RowCache } from '../../components/table/row-cache.ts'

export type ListKey = { run: string; filter: string; sort: RolloutSort }
export type Summary = NonNullable<RolloutPage['summary']>

/** One filtered list of a run's rollouts: its rows as they are looked at, and the counts over all of it. */
export class RolloutList {
  readonly cache: RowCache<RolloutRow>
  readonly changed = new Emitter<void>()
  summary: Summary | null = null
  /** Values met so far, to complete a filter with. */
  readonly known: KnownValues = { task: [], policy: [], reason: [] }
  private readonly key: ListKey

  constructor(key: ListKey) {
    this.key = key
    this.cache = new RowCache(async (request) => {
      const reply = await core().request('rollouts.page', { ...key, ...request })
      if (reply.ok) this.learn(reply.value)
      return reply
    })
  }

  /** The run or its audit went on. */
  async refresh(): Promise<void> {
    this.cache.refresh()
    // The counts come with the list's start, which may be out of view.
    const start = await core().request('rollouts.page', { ...this.key, cursor: null, limit: 1 })
    if (start.ok) this.learn(start.value)
  }

  dispose(): void {
    this.cache.dispose()
  }

  private learn(page: RolloutPage): void {
    for (const row of page.rows) {
      for (const field of ['task', 'policy', 'reason'] as const) {
        const value = row[field]
        const values = this.known[field]
        if (value !== null && values && !values.includes(value)) values.push(value)
      }
    }
    if (page.summary === null) return
    this.summary = page.summary
    this.changed.emit()
  }
}

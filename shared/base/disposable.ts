/** Something open that must be ended, exactly once. */
export type Disposable = { dispose(): void | Promise<void> }

/** Owns disposables and ends them in reverse order; the failure of one does not keep the others open. */
export class Disposables implements Disposable {
  private items: Disposable[] = []
  private ended = false

  /** Registers `item`; if this owner already ended, `item` is ended at once, so nothing acquired late can leak. */
  add<T extends Disposable>(item: T): T {
    if (this.ended) void item.dispose()
    else this.items.push(item)
    return item
  }

  async dispose(): Promise<void> {
    this.ended = true
    const failures: unknown[] = []
    for (const item of this.items.splice(0).reverse()) {
      try {
        await item.dispose()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
  }
}

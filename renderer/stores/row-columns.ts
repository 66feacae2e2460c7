import type { StepRow } from '#shared/journal/state.ts'

/** Changes remembered one by one; a column that was not read for longer is made anew as a whole. */
const changesKept = 256

type Held = { version: number; values: unknown[]; readAt: number }

/** @param before what it gave for the row before, so that a sum goes on from there; undefined for the first. */
type Of<T> = (row: StepRow, before: T | undefined) => T

/**
 * What charts draw of a run's rows, kept from one redraw to the next: a redraw costs the rows that changed, not the rows that there are, of which a
 * long run has ten thousand and a dozen charts.
 */
export class RowColumns {
  private version = 0
  /** The least row touched by each version, ascending in both: of the versions after any, the first says where they all begin. */
  private changes: { version: number; from: number }[] = []
  private forgotten = 0
  private readonly held = new Map<unknown, Held>()

  /** Rows from `from` on are others than before. */
  changed(from: number): void {
    this.version += 1
    while ((this.changes.at(-1)?.from ?? -1) >= from) this.changes.pop()
    this.changes.push({ version: this.version, from })
    if (this.changes.length <= changesKept) return
    this.forgotten = this.changes[0]?.version ?? 0
    this.changes.shift()
  }

  /** Takes the changes into every column that was read of late, so that none of that is left to do at the moment of drawing. */
  bringUp(rows: readonly StepRow[]): void {
    for (const [of, { readAt }] of this.held)
      if (readAt < this.forgotten) this.held.delete(of)
      else this.upToDate(rows, of as Of<unknown>)
  }

  /**
   * `of` every row, in their order. The array is the same one every time, and grows and changes in place.
   * @param of must be one and the same function for one column: what it gave is kept under it.
   */
  column<T>(rows: readonly StepRow[], of: Of<T>): readonly T[] {
    const known = this.upToDate(rows, of)
    known.readAt = this.version
    return known.values as T[]
  }

  private upToDate<T>(rows: readonly StepRow[], of: Of<T>): Held {
    const known = this.held.get(of) ?? { version: 0, values: [], readAt: this.version }
    this.held.set(of, known)
    const values = known.values as T[]
    const from = Math.min(this.firstChangedSince(known.version), values.length)
    if (from < rows.length || values.length !== rows.length) {
      values.length = Math.min(values.length, rows.length)
      for (let at = from; at < rows.length; at += 1) values[at] = of(rows[at] as StepRow, values[at - 1])
    }
    known.version = this.version
    return known
  }

  private firstChangedSince(version: number): number {
    if (version < this.forgotten) return 0
    for (const change of this.changes) if (change.version > version) return change.from
    return Number.POSITIVE_INFINITY
  }
}

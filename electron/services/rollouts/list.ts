import type { SQLInputValue } from 'node:sqlite'
import { AppError } from '#shared/base/errors.ts'
import type { Status } from '#shared/domain/grade.ts'
import type { Input, Outputs, RolloutPage } from '#shared/ipc/contract.ts'
import type { Database } from '../store/index/database.ts'
import { type Condition, conditionOf } from './filter-sql.ts'
import { beside, type Cursor, orderBy, readCursor, type Sort, sortKey, writeCursor } from './order.ts'
import { rolloutRow, rowColumns, type SavedRow } from './row.ts'

type Counts = { total: number; summary: NonNullable<RolloutPage['summary']> }

/** Lists kept counted: the filters of the views that are open, and a few that one goes back to. */
const countsKept = 32

/** The filtered list of a run's rollouts: pages of it, the one behind or before another, all of it. */
export class RolloutLists {
  private readonly db: Database
  private readonly counts = new Map<string, { version: number; counts: Counts }>()

  constructor(db: Database) {
    this.db = db
  }

  /** @throws {AppError} `bad_filter`, `not_found`, `bad_input` for a cursor of another order. */
  page(input: Input<'rollouts.page'>): RolloutPage {
    const { filter, sort, limit, skip } = input
    const run = this.runOf(input.run)
    const condition = conditionOf(this.db, run, filter)
    const cursor = input.cursor === null ? null : readCursor(input.cursor, sort)
    const rows = this.rows(condition, sort, cursor, limit + 1, skip)
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const { total, summary } = this.counted(run, filter, condition)
    return {
      rows: shown.map(rolloutRow),
      total,
      next: rows.length > limit && last ? writeCursor({ sort, key: last.sort_key, n: last.n }) : null,
      filter,
      summary: cursor === null && skip === 0 ? summary : null,
    }
  }

  /**
   * The rollout behind or before `rollout` in the list; `position` is that of `rollout` itself, from 0, null where the filter leaves it out
   * (its neighbours are then those of where it would stand).
   */
  neighbour(input: Input<'rollouts.neighbour'>): Outputs['rollouts.neighbour'] {
    const { filter, sort, rollout, direction } = input
    const run = this.runOf(input.run)
    const condition = conditionOf(this.db, run, filter)
    const here = this.db.get<{ key: number; n: number }>(
      `SELECT ${sortKey(sort)} AS key, n FROM rollouts WHERE run = ? AND rollout = ?`,
      run,
      rollout,
    )
    if (!here) throw new AppError('not_found', `There is no rollout ${rollout} in ${input.run}.`)
    const { sql, values } = neighbourQuery(condition, sort, here, direction)
    const found = this.db.get<{ rollout: string }>(sql, ...values)
    const isWhole = condition.terms === 0
    return {
      rollout: found?.rollout ?? null,
      // Rollouts are numbered from 0 as they come, and none goes: of a run's whole list nothing needs counting.
      position: isWhole && sort === 'order' ? here.n : this.position(condition, sort, here),
      total: isWhole ? this.allOf(run) : this.counted(run, filter, condition).total,
    }
  }

  /** Every row of the list in order of the journal, read a portion at a time, so that writers get their turn between. */
  *each(runName: string, filter: string): Generator<SavedRow> {
    const condition = conditionOf(this.db, this.runOf(runName), filter)
    let cursor: Cursor | null = null
    for (;;) {
      const rows: SavedRow[] = this.rows(condition, 'order', cursor, 1000, 0)
      yield* rows
      const last = rows.at(-1)
      if (!last || rows.length < 1000) return
      cursor = { sort: 'order', key: last.n, n: last.n }
    }
  }

  private runOf(run: string): number {
    const found = this.db.get<{ id: number }>('SELECT id FROM runs WHERE run = ?', run)
    if (!found) throw new AppError('not_found', `There is no run ${run}.`)
    return found.id
  }

  private rows(
    condition: Condition,
    sort: Sort,
    cursor: Cursor | null,
    limit: number,
    skip: number,
  ): SavedRow[] {
    const { sql, values } = pageQuery(condition, sort, cursor)
    return this.db.all<SavedRow>(sql, ...values, limit, skip)
  }

  private allOf(run: number): number {
    const found = this.db.get<{ count: number }>('SELECT next_n AS count FROM runs WHERE id = ?', run)
    if (!found) throw new AppError('not_found', 'The run is not in the index any more.')
    return found.count
  }

  private position(condition: Condition, sort: Sort, here: { key: number; n: number }): number | null {
    const side = beside(sort, '<=', here)
    const found = this.db.get<{ before: number; itself: number }>(
      `SELECT count(*) FILTER (WHERE n <> ?) AS before, count(*) FILTER (WHERE n = ?) AS itself
      FROM rollouts WHERE ${condition.sql} AND ${side.sql}`,
      here.n,
      here.n,
      ...condition.values,
      ...side.values,
    )
    return found?.itself === 1 ? found.before : null
  }

  /** Counts of the whole list, counted again only after something was written. */
  private counted(run: number, filter: string, condition: Condition): Counts {
    const key = `${run} ${filter}`
    const version = this.db.get<{ version: number }>('SELECT total_changes() AS version')?.version ?? 0
    const known = this.counts.get(key)
    if (known?.version === version) return known.counts
    const counts = this.count(condition)
    this.counts.delete(key)
    this.counts.set(key, { version, counts })
    if (this.counts.size > countsKept) this.counts.delete(this.counts.keys().next().value ?? '')
    return counts
  }

  private count({ sql, values }: Condition): Counts {
    const groups = this.db.all<{
      status: Status | 'pending'
      total: number
      rewarded: number
      reward: number | null
      audited: number
      wrong: number
    }>(
      `SELECT status, count(*) AS total, count(reward) AS rewarded, sum(reward) AS reward, count(audit_status) AS audited,
        count(nullif(false_acceptance, 0)) AS wrong
      FROM rollouts WHERE ${sql} GROUP BY status`,
      ...values,
    )
    const sum = (pick: (group: (typeof groups)[number]) => number) =>
      groups.reduce((all, group) => all + pick(group), 0)
    const rewarded = sum((group) => group.rewarded)
    return {
      total: sum((group) => group.total),
      summary: {
        byStatus: Object.fromEntries(groups.map((group) => [group.status, group.total])),
        rewardMean: rewarded === 0 ? null : sum((group) => group.reward ?? 0) / rewarded,
        audited: sum((group) => group.audited),
        falseAcceptances: sum((group) => group.wrong),
      },
    }
  }
}

type Query = { sql: string; values: SQLInputValue[] }

/** The query of a page, its last two values (rows wanted, rows passed over) left open. */
export function pageQuery(condition: Condition, sort: Sort, cursor: Cursor | null): Query {
  const behind = cursor === null ? null : beside(sort, '>', cursor)
  return {
    sql: `SELECT ${sortKey(sort)} AS sort_key, ${rowColumns} FROM rollouts
      WHERE ${condition.sql}${behind ? ` AND ${behind.sql}` : ''} ORDER BY ${orderBy(sort)} LIMIT ? OFFSET ?`,
    values: [...condition.values, ...(behind?.values ?? [])],
  }
}

export function neighbourQuery(
  condition: Condition,
  sort: Sort,
  here: { key: number; n: number },
  direction: 'next' | 'previous',
): Query {
  const side = beside(sort, direction === 'next' ? '>' : '<', here)
  return {
    sql: `SELECT rollout FROM rollouts WHERE ${condition.sql} AND ${side.sql}
      ORDER BY ${orderBy(sort, direction === 'next' ? 'ASC' : 'DESC')} LIMIT 1`,
    values: [...condition.values, ...side.values],
  }
}

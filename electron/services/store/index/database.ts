import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Disposable } from '#shared/base/disposable.ts'
import { AppError } from '#shared/base/errors.ts'
import { diskError } from '../durable.ts'

const sqliteFull = 13
export const sqliteCorrupt = 11
const sqliteNotDatabase = 26
const sqliteInputOutput = 10

/** The few calls that the index makes on SQLite: one place for prepared statements, transactions and SQLite's errors. */
export class Database implements Disposable {
  private readonly db: DatabaseSync
  private readonly path: string
  private damaged = false
  private readonly statements = new Map<string, StatementSync>()

  constructor(path: string) {
    this.path = path
    this.db = new DatabaseSync(path)
  }

  exec(sql: string): void {
    this.db.exec(sql)
  }

  /** @template T shape of a row; the caller knows its own columns. */
  all<T extends object>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.guard(() => this.statement(sql).all(...values)) as T[]
  }

  get<T extends object>(sql: string, ...values: SQLInputValue[]): T | undefined {
    return this.guard(() => this.statement(sql).get(...values)) as T | undefined
  }

  run(sql: string, ...values: SQLInputValue[]): { changes: number; lastId: number } {
    const { changes, lastInsertRowid } = this.guard(() => this.statement(sql).run(...values))
    return { changes: Number(changes), lastId: Number(lastInsertRowid) }
  }

  /** All of `work` or nothing of it. @throws {AppError} `disk_full`, `corrupt` */
  transaction<T>(work: () => T): T {
    return this.guard(() => {
      this.db.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        this.db.exec('COMMIT')
        return result
      } catch (failure) {
        if (this.db.isTransaction) this.db.exec('ROLLBACK')
        throw failure
      }
    })
  }

  /** @returns whether the last user closed the index in good order, and takes the mark away until this one does. */
  takeCleanMark(): boolean {
    return this.run("DELETE FROM meta WHERE key = 'clean'").changes === 1
  }

  dispose(): void {
    try {
      if (!this.damaged) this.db.exec("INSERT OR IGNORE INTO meta VALUES ('clean', '')")
    } catch {
      // Without the mark the next open checks the whole index, which is right where not even this could be written.
    }
    this.statements.clear()
    this.db.close()
  }

  /** @throws {AppError} in place of SQLite's own errors, where one is known; damage is remembered, so that the next open looks for it. */
  private guard<T>(work: () => T): T {
    try {
      return work()
    } catch (failure) {
      this.damaged ||= isDamage(failure)
      throw indexError(failure, this.path)
    }
  }

  private statement(sql: string): StatementSync {
    const known = this.statements.get(sql)
    if (known) return known
    const made = this.db.prepare(sql)
    // Filters make statements without end; the oldest are forgotten.
    if (this.statements.size >= 256) this.statements.delete(this.statements.keys().next().value ?? '')
    this.statements.set(sql, made)
    return made
  }
}

export function isDamage(failure: unknown): boolean {
  if (failure instanceof AppError) return failure.code === 'corrupt'
  const code = (failure as { errcode?: number }).errcode ?? 0
  return [sqliteCorrupt, sqliteNotDatabase].includes(code & 0xff)
}

/** Less than this free is a full disk: the index grows by pages and its log by more. */
const fullBelowBytes = 1 << 20

function indexError(failure: unknown, path: string): unknown {
  const code = ((failure as { errcode?: number }).errcode ?? 0) & 0xff
  // Some writes that find no room are reported as plain input and output errors.
  if (code === sqliteFull || (code === sqliteInputOutput && freeBytes(path) < fullBelowBytes))
    return diskError(
      Object.assign(new Error('no room', { cause: failure }), { code: 'ENOSPC' }),
      'write the index',
    )
  if (isDamage(failure))
    return new AppError('corrupt', 'The index is damaged.', {
      cause: failure,
      hint: 'Start Ringside again: it rebuilds the index from the journals and the evidence.',
    })
  return failure
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

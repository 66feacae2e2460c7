import type { TestOutcome } from '#shared/domain/grade.ts'
import type { Database } from './database.ts'

const letters: Record<TestOutcome['outcome'], string> = {
  passed: 'p',
  failed: 'f',
  timed_out: 't',
  crashed: 'c',
  not_run: 'n',
  tampered: 'x',
}

/** One letter a test, in the order of its list of names; upper case for a negative control. */
export const outcomeLetters = (tests: TestOutcome[]): string =>
  tests.map(({ outcome, control }) => (control ? letters[outcome].toUpperCase() : letters[outcome])).join('')

/** Numbers for texts that many rows name. Remembers what it met; make a new one after a transaction was undone. */
export class Interned {
  private readonly db: Database
  private readonly hashes = new Map<string, number>()
  private readonly lists = new Map<string, number>()

  constructor(db: Database) {
    this.db = db
  }

  hash(sha: string | null): number | null {
    return sha === null ? null : this.number(this.hashes, 'hashes', 'sha', sha)
  }

  testList(tests: TestOutcome[]): number | null {
    if (tests.length === 0) return null
    return this.number(this.lists, 'test_lists', 'names', JSON.stringify(tests.map((test) => test.name)))
  }

  private number(known: Map<string, number>, table: string, column: string, text: string): number {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = this.db.run(`INSERT OR IGNORE INTO ${table}(${column}) VALUES (?)`, text)
    const id =
      made.changes === 1
        ? made.lastId
        : this.db.get<{ id: number }>(`SELECT id FROM ${table} WHERE ${column} = ?`, text)?.id
    if (id === undefined) throw new Error(`${table} lost a row`)
    // A long run has many completions, each named once: what was met long ago is asked for again.
    if (known.size > 50_000) known.clear()
    known.set(text, id)
    return id
  }
}

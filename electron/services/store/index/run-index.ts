import type { RunSpec } from '#shared/domain/run.ts'
import { decodeLine, type Line } from '#shared/journal/decode.ts'
import { emptyState } from '#shared/journal/empty.ts'
import type { RunEvent } from '#shared/journal/events.ts'
import { RunReducer, stepOf } from '#shared/journal/reduce.ts'
import type { RunState } from '#shared/journal/state.ts'
import { readRecord } from '../console-log.ts'
import { sha256Of } from '../evidence.ts'
import { RecordWriter } from './audit-writer.ts'
import type { Database } from './database.ts'
import { RolloutWriter, type RunCounters } from './rollout-writer.ts'
import { SavedSteps, savedDraws } from './saved-steps.ts'

type RunRow = {
  id: number
  rev: number
  next_n: number
  journal_end: number
  journal_tail: string | null
  console_end: number
  console_tail: string | null
  state: string
}

/** Up to where a file is in the index, and where its last line there begins and what it hashes to: a file that is not the same is known by it. */
export type Mark = { end: number; tail: string | null }
export const tailOf = (line: Line): string => `${line.offset}:${sha256Of(line.text)}`

/** More revisions than rows can change in a second, so that a rebuilt run counts on from above where it stood before. */
const revisionsPerSecond = 2 ** 20

/**
 * One run's part of the index, with its reducer. Lines go in in order, a batch a transaction; the mark moves in the same transaction, so a crash
 * leaves no line half in and none in twice. After a failed batch this object no longer fits the index: load another.
 */
export class RunIndex {
  private readonly db: Database
  private readonly run: RunCounters
  private readonly reducer: RunReducer
  private readonly rollouts: RolloutWriter
  private readonly records: RecordWriter
  private journalMark: Mark
  private consoleMark: Mark

  private constructor(db: Database, row: RunRow) {
    this.db = db
    this.run = { id: row.id, rev: row.rev, nextN: row.next_n }
    const state = JSON.parse(row.state) as RunState
    state.steps = db
      .all<{ row: string }>('SELECT row FROM steps WHERE run = ? ORDER BY step', row.id)
      .map((step) => JSON.parse(step.row) as RunState['steps'][number])
    this.rollouts = new RolloutWriter(db, this.run)
    this.reducer = new RunReducer({
      state,
      memory: new SavedSteps(db, row.id, () => this.rollouts.flush()),
      draws: savedDraws(db, row.id),
    })
    this.records = new RecordWriter(db, this.run, this.rollouts)
    this.journalMark = { end: row.journal_end, tail: row.journal_tail }
    this.consoleMark = { end: row.console_end, tail: row.console_tail }
  }

  static load(db: Database, run: string, now: Date): RunIndex {
    const select = `SELECT id, rev, next_n, journal_end, journal_tail, console_end, console_tail, state FROM runs WHERE run = ?`
    const found = db.get<RunRow>(select, run)
    if (found) return new RunIndex(db, found)
    const base = Math.floor(now.getTime() / 1000) * revisionsPerSecond
    const state = JSON.stringify(emptyState())
    db.run('INSERT INTO runs(run, base, rev, state) VALUES (?, ?, ?, ?)', run, base, base, state)
    return RunIndex.load(db, run, now)
  }

  get id(): number {
    return this.run.id
  }

  /** What `live.since` counts in. */
  get rev(): number {
    return this.run.rev
  }

  get journal(): Mark {
    return this.journalMark
  }

  get console(): Mark {
    return this.consoleMark
  }

  get phase(): RunState['phase'] {
    return this.reducer.state.phase
  }

  /** Whether the frozen spec is still to be told, as the trainer has not written its first line. */
  get lacksSpec(): boolean {
    return this.reducer.state.spec === null
  }

  setSpec(spec: RunSpec): void {
    this.db.run('UPDATE runs SET spec = ? WHERE id = ?', JSON.stringify(spec), this.run.id)
  }

  /** Lines of the journal, the first of which stands at `journal.end`. */
  applyJournal(lines: Line[]): void {
    const last = lines.at(-1)
    if (!last) return
    this.db.transaction(() => {
      const touched = new Set<number>()
      for (const line of lines) this.applyLine(line, touched)
      this.rollouts.flush()
      this.run.rev += 1
      this.saveSteps(touched)
      this.saveMemory()
      this.journalMark = { end: last.end, tail: tailOf(last) }
      this.save()
    })
  }

  /** Lines of `console.jsonl`, the first of which stands at `console.end`. @returns why lines could not be read. */
  applyConsole(lines: Line[]): string[] {
    const last = lines.at(-1)
    if (!last) return []
    return this.db.transaction(() => {
      const faults: string[] = []
      for (const read of lines.map(readRecord)) {
        const place = { at: read.line.offset, bytes: read.line.end - read.line.offset }
        if ('fault' in read) faults.push(`console.jsonl at byte ${place.at}: ${read.fault}`)
        else this.records.write(read.record, place)
      }
      this.run.rev += 1
      this.consoleMark = { end: last.end, tail: tailOf(last) }
      this.save()
      return faults
    })
  }

  private applyLine(line: Line, touched: Set<number>): void {
    const decoded = decodeLine(line.text)
    const isNew = this.reducer.apply(decoded, line.offset)
    if (isNew && decoded.kind === 'event') this.write(decoded.event, line, touched)
  }

  private write(event: RunEvent, line: Line, touched: Set<number>): void {
    const place = { at: line.offset, bytes: line.end - line.offset }
    switch (event.type) {
      case 'run.started':
        this.db.run(
          'UPDATE runs SET audit_suite = ? WHERE id = ?',
          this.reducer.state.spec?.audit?.sha256 ?? null,
          this.run.id,
        )
        return
      case 'step.started':
        touched.add(event.step)
        return
      case 'rollout.generated':
        if (event.step !== null) touched.add(event.step)
        return this.rollouts.generated(event)
      case 'rollout.graded':
        touched.add(stepOf(event.rollout) ?? -1)
        return this.rollouts.graded(event, place)
      case 'eval.draw':
        return this.rollouts.drawn(event, place)
      case 'step.finished':
        touched.add(event.step)
        return this.rollouts.advantages(event.advantages)
      default:
        return
    }
  }

  private saveSteps(touched: Set<number>): void {
    const { steps } = this.reducer.state
    for (const step of [...touched].sort((a, b) => a - b)) {
      const row = steps.findLast((one) => one.step === step)
      if (!row) continue
      if (row.finishedAt !== null) this.rollouts.markSilent(step)
      this.run.rev += 1
      this.db.run(
        'INSERT OR REPLACE INTO steps(run, step, rev, reward_mean, row) VALUES (?, ?, ?, ?, ?)',
        this.run.id,
        step,
        this.run.rev,
        row.rewardMean,
        JSON.stringify(row),
      )
    }
  }

  private saveMemory(): void {
    for (const sample of this.reducer.state.memory.splice(0)) {
      this.run.rev += 1
      this.db.run(
        'INSERT INTO memory(run, rev, sample) VALUES (?, ?, ?)',
        this.run.id,
        this.run.rev,
        JSON.stringify(sample),
      )
    }
  }

  private save(): void {
    const state: RunState = { ...this.reducer.state, steps: [], memory: [] }
    this.db.run(
      `UPDATE runs SET rev = ?, next_n = ?, journal_end = ?, journal_tail = ?, console_end = ?, console_tail = ?, state = ? WHERE id = ?`,
      this.run.rev,
      this.run.nextN,
      this.journalMark.end,
      this.journalMark.tail,
      this.consoleMark.end,
      this.consoleMark.tail,
      JSON.stringify(state),
      this.run.id,
    )
  }
}

/** Takes a run out of the index, so that it can be read in again from its files. */
export function forgetRun(db: Database, run: string): void {
  const id = db.get<{ id: number }>('SELECT id FROM runs WHERE run = ?', run)?.id
  if (id === undefined) return
  db.transaction(() => {
    for (const table of ['steps', 'memory', 'rollouts', 'audits', 'verdicts', 'contents', 'alarm_marks'])
      db.run(`DELETE FROM ${table} WHERE run = ?`, id)
    db.run('DELETE FROM runs WHERE id = ?', id)
  })
}

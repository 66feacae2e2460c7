import { readFile } from 'node:fs/promises'
import { setImmediate as breathe } from 'node:timers/promises'
import { toAppError } from '#shared/base/errors.ts'
import { RunSpec } from '#shared/domain/run.ts'
import type { Line } from '#shared/journal/decode.ts'
import type { Database } from './index/database.ts'
import { forgetRun, type Mark, RunIndex, tailOf } from './index/run-index.ts'
import { decodeUtf8, readLines, readRange } from './journal.ts'
import type { StorePaths } from './paths.ts'
import type { Notice } from './types.ts'

/** Lines a transaction: some 50 ms of work, after which the rest of the process gets its turn. */
const batchLines = 1000

export type FeedDeps = {
  db: Database
  paths: StorePaths
  run: string
  now: () => Date
  onNotice: (notice: Notice) => void
  onAdvance: (change: { run: string; seq: number }) => void
}

/** Brings one run's journal and console records into the index, from wherever it stands, one batch after the other. */
export class RunFeed {
  private readonly deps: FeedDeps
  private index: RunIndex | null = null
  private queue: Promise<unknown> = Promise.resolve()
  private behind = true
  private lastNotice = ''
  private lastPhase: RunIndex['phase'] = 'pending'

  constructor(deps: FeedDeps) {
    this.deps = deps
  }

  /** Whether something is known to be on the disk that is not in the index, because the last try failed. */
  get isBehind(): boolean {
    return this.behind
  }

  /** Of the run when it was last read in. */
  get phase(): RunIndex['phase'] {
    return this.lastPhase
  }

  /** Reads in all that is on the disk now. @throws {AppError} `disk_full`, `corrupt`; the next call goes on where this one stopped. */
  catchUp(): Promise<void> {
    const turn = this.queue.then(() => this.readAll())
    this.queue = turn.catch(() => {})
    return turn
  }

  /** The same, where nobody waits for it: a failure becomes a notice, said once however often it is met, and `isBehind` stays true. */
  async tryCatchUp(): Promise<void> {
    try {
      await this.catchUp()
      this.lastNotice = ''
    } catch (failure) {
      const { message, hint } = toAppError(failure)
      const text = `${message} ${hint}`
      if (text !== this.lastNotice) this.deps.onNotice({ run: this.deps.run, level: 'error', text })
      this.lastNotice = text
    }
  }

  /** Lets the run's reducer go until something comes: a console with a hundred old runs need not hold all of them. */
  async rest(): Promise<void> {
    await this.queue
    this.index = null
  }

  /** Resolves when nothing is being read in. */
  async idle(): Promise<void> {
    await this.queue
  }

  private async readAll(): Promise<void> {
    const { paths, run } = this.deps
    this.behind = true
    try {
      const index = await this.loaded()
      const before = index.rev
      if (index.lacksSpec) await this.tellSpec(index)
      for await (const lines of readLines(paths.journal(run), index.journal.end))
        await this.inBatches(lines, (batch) => index.applyJournal(batch))
      for await (const lines of readLines(paths.console(run), index.console.end))
        await this.inBatches(lines, (batch) => this.faults(index.applyConsole(batch)))
      this.behind = false
      this.lastPhase = index.phase
      if (index.rev !== before) this.deps.onAdvance({ run, seq: index.rev })
    } catch (failure) {
      // Its reducer may be ahead of what was rolled back.
      this.index = null
      throw failure
    }
  }

  private async tellSpec(index: RunIndex): Promise<void> {
    const { paths, run } = this.deps
    const spec = await readSpec(paths.spec(run))
    if (spec) index.setSpec(spec)
  }

  private async inBatches(lines: Line[], apply: (batch: Line[]) => void): Promise<void> {
    for (let from = 0; from < lines.length; from += batchLines) {
      apply(lines.slice(from, from + batchLines))
      if (lines.length > batchLines) await breathe()
    }
  }

  private faults(faults: string[]): void {
    for (const text of faults) this.deps.onNotice({ run: this.deps.run, level: 'warning', text })
  }

  /** The index of the run, thrown away first where the files are not those that it was made from. */
  private async loaded(): Promise<RunIndex> {
    if (this.index) return this.index
    const { db, paths, run, now, onNotice } = this.deps
    let index = RunIndex.load(db, run, now())
    const fits =
      (await endsAt(paths.journal(run), index.journal)) && (await endsAt(paths.console(run), index.console))
    if (!fits) {
      onNotice({ run, level: 'warning', text: 'Its files changed under the index; it is read in again.' })
      forgetRun(db, run)
      index = RunIndex.load(db, run, now())
    }
    this.index = index
    return index
  }
}

async function readSpec(path: string): Promise<RunSpec | null> {
  try {
    return RunSpec.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return null
  }
}

/** Whether the file still has, at the mark, the line that was indexed last. */
async function endsAt(path: string, mark: Mark): Promise<boolean> {
  if (mark.end === 0 || mark.tail === null) return true
  const offset = Number(mark.tail.split(':')[0])
  const bytes = await readRange(path, offset, mark.end - offset)
  if (bytes === null || bytes.length !== mark.end - offset) return false
  return tailOf({ text: decodeUtf8(bytes.subarray(0, -1)), offset, end: mark.end }) === mark.tail
}

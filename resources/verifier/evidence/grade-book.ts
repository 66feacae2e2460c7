import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Evidence } from '#shared/domain/verifier.ts'
import { AppendLog } from './append-log.ts'
import { EvidenceStore, syncFolder } from './evidence-store.ts'
import { ExecutionRecord, GradeRecord } from './records.ts'

/**
 * Everything that a verifier remembers: evidence, which subjects were executed, and which ids were graded. Evidence is stored before any
 * record names it; both logs are read once, when opened.
 */
export class GradeBook {
  readonly evidence: EvidenceStore
  private readonly executions: AppendLog<ExecutionRecord>
  private readonly grades: AppendLog<GradeRecord>
  private readonly bySubject = new Map<string, string>()
  private readonly byRun = new Map<string, Map<string, GradeRecord>>()

  private constructor(
    evidence: EvidenceStore,
    executions: AppendLog<ExecutionRecord>,
    grades: AppendLog<GradeRecord>,
  ) {
    this.evidence = evidence
    this.executions = executions
    this.grades = grades
  }

  /** Opens the book in `folder`, repairs torn tails, and finds evidence that was stored but not yet recorded when the process ended. */
  static async open(folder: string, log: (text: string) => void): Promise<GradeBook> {
    await mkdir(folder, { recursive: true })
    const evidence = await EvidenceStore.open(join(folder, 'evidence'))
    const ran = await AppendLog.open(join(folder, 'executions.jsonl'), (raw) => ExecutionRecord.parse(raw))
    const graded = await AppendLog.open(join(folder, 'grades.jsonl'), (raw) => GradeRecord.parse(raw))
    await syncFolder(folder)
    const book = new GradeBook(evidence, ran.log, graded.log)
    for (const record of graded.records) book.remember(record)
    const cut = new Map<string, string>()
    const named = new Set(graded.records.map((record) => record.evidenceSha256))
    for (const record of ran.records) {
      if (record.type === 'started') cut.set(record.execution, record.key)
      else cut.delete(record.execution)
      if (record.type !== 'finished') continue
      book.bySubject.set(record.key, record.evidenceSha256)
      named.add(record.evidenceSha256)
    }
    const found = await book.adopt(cut, named)
    if (ran.damaged + graded.damaged > 0)
      log(`${ran.damaged + graded.damaged} damaged records were passed over`)
    if (cut.size > 0) log(`${cut.size} executions had been cut off; ${found} of them had finished`)
    return book
  }

  /** sha256 of the evidence of an executed subject, or null. */
  executed(key: string): string | null {
    return this.bySubject.get(key) ?? null
  }

  gradeOf(run: string, id: string): GradeRecord | null {
    return this.byRun.get(run)?.get(id) ?? null
  }

  gradesOf(run: string): GradeRecord[] {
    return [...(this.byRun.get(run)?.values() ?? [])]
  }

  /** @throws the file system's error; then nothing may be executed. */
  started(execution: string, key: string): Promise<void> {
    return this.executions.append({ type: 'started', execution, key, at: new Date().toISOString() })
  }

  /**
   * Stores an execution's evidence and records it. Once the evidence is stored the execution is known for good, so a failure to record it
   * after that is no failure: a restart finds it by its `started` record.
   */
  async finished(execution: string, key: string, evidence: Evidence): Promise<string> {
    const evidenceSha256 = await this.evidence.put(evidence)
    this.bySubject.set(key, evidenceSha256)
    await this.executions.append({ type: 'finished', execution, key, evidenceSha256 }).catch(() => undefined)
    return evidenceSha256
  }

  /** Best effort: it only spares a restart the search for evidence that was never to come. */
  async silent(execution: string, reason: string): Promise<void> {
    await this.executions.append({ type: 'silent', execution, reason }).catch(() => undefined)
  }

  async graded(record: GradeRecord): Promise<void> {
    await this.grades.append(record)
    this.remember(record)
  }

  async close(): Promise<void> {
    await this.executions.close()
    await this.grades.close()
  }

  private remember(record: GradeRecord): void {
    const run = this.byRun.get(record.run) ?? new Map<string, GradeRecord>()
    this.byRun.set(record.run, run)
    run.set(record.id, record)
  }

  /** Takes up evidence of `cut` executions (id → key) among the files that no record names. @returns how many there were. */
  private async adopt(cut: Map<string, string>, named: Set<string>): Promise<number> {
    if (cut.size === 0) return 0
    let found = 0
    for (const sha256 of await this.evidence.list()) {
      if (named.has(sha256)) continue
      const evidence = await this.evidence.get(sha256).catch(() => null)
      const execution = evidence?.execution?.id
      const key = execution === undefined ? undefined : cut.get(execution)
      if (execution === undefined || key === undefined || evidence?.grade.reward === null) continue
      this.bySubject.set(key, sha256)
      await this.executions.append({ type: 'finished', execution, key, evidenceSha256: sha256 })
      found += 1
    }
    return found
  }
}

import { AppError, toAppError } from '#shared/base/errors.ts'
import type { Extraction, Grade, GradeLine } from '#shared/domain/grade.ts'
import { silentGrade } from '#shared/domain/grade.ts'
import type { SuiteManifest } from '#shared/domain/suite.ts'
import type { Evidence, GradeItem } from '#shared/domain/verifier.ts'
import { textSha256 } from '../evidence/bytes.ts'
import type { GradeBook } from '../evidence/grade-book.ts'
import { extractAside } from '../extraction/worker.ts'
import type { Executor } from './executor.ts'
import { storageReason } from './storage-reason.ts'
import type { Identity } from './to-grade.ts'

/** An item whose subject is known: its body, or the completion that gave none. */
type Prepared = {
  item: GradeItem
  extraction: Extraction | null
  body: string | null
  subjectSha256: string
}

/** Grades the items of requests: extraction, replay of what an id was graded as, and the record of what it is now. */
export class Grading {
  private readonly book: GradeBook
  private readonly executor: Executor
  private readonly identity: Identity
  private readonly language: SuiteManifest['language']
  /** Subjects of ids that are being graded, by run and id, so that a second body under one id is refused before it is recorded too. */
  private readonly open = new Map<string, { subjectSha256: string; count: number }>()

  constructor(book: GradeBook, executor: Executor, identity: Identity, language: SuiteManifest['language']) {
    this.book = book
    this.executor = executor
    this.identity = identity
    this.language = language
  }

  /**
   * Takes the body from every item and claims the ids, all or none.
   * @returns what grades one item each; every one must be called.
   * @throws AppError `id_conflict` where an id was or is being graded with another body or task.
   */
  async prepare(run: string, items: GradeItem[]): Promise<((gaveUp: Promise<void>) => Promise<GradeLine>)[]> {
    const prepared = await Promise.all(items.map((item) => this.extract(item)))
    const inBatch = new Map<string, string>()
    for (const { item, subjectSha256 } of prepared) {
      const saved = this.book.gradeOf(run, item.id)
      const claimed = this.open.get(claimOf(run, item))?.subjectSha256 ?? inBatch.get(item.id)
      const subject = `${item.task}/${subjectSha256}`
      const other =
        (saved !== null && `${saved.task}/${saved.subjectSha256}` !== subject) ||
        (claimed !== undefined && claimed !== subject)
      if (other) {
        throw new AppError(
          'id_conflict',
          `Id ${item.id} of run ${run} was sent before with another body or task.`,
        )
      }
      inBatch.set(item.id, subject)
    }
    return prepared.map((one) => {
      const release = this.claim(run, one)
      return (gaveUp) => this.grade(run, one, gaveUp).finally(release)
    })
  }

  /** @returns the grades saved for a run, in the order in which they were saved. */
  async *saved(run: string): AsyncGenerator<GradeLine> {
    for (const { id, task, extraction, evidenceSha256 } of this.book.gradesOf(run)) {
      const grade = await this.executor.read(evidenceSha256)
      yield { id, task, extraction, ...grade, cache: 'replayed' }
    }
  }

  private claim(run: string, { item, subjectSha256 }: Prepared): () => void {
    const key = claimOf(run, item)
    const held = this.open.get(key) ?? { subjectSha256: `${item.task}/${subjectSha256}`, count: 0 }
    this.open.set(key, held)
    held.count += 1
    return () => {
      held.count -= 1
      if (held.count === 0) this.open.delete(key)
    }
  }

  private async extract(item: GradeItem): Promise<Prepared> {
    if (item.body !== undefined) {
      return { item, extraction: null, body: item.body, subjectSha256: textSha256(item.body) }
    }
    const completion = item.completion ?? ''
    const { extraction, body } = await extractAside(completion, this.language)
    return { item, extraction, body, subjectSha256: textSha256(body ?? completion) }
  }

  private async grade(run: string, prepared: Prepared, gaveUp: Promise<void>): Promise<GradeLine> {
    const { item, extraction } = prepared
    const named = { id: item.id, task: item.task, extraction }
    try {
      const saved = this.book.gradeOf(run, item.id)
      if (saved !== null) {
        return { ...named, ...(await this.executor.read(saved.evidenceSha256)), cache: 'replayed' }
      }
      const grade = await this.find(prepared, gaveUp)
      if (grade.reward !== null && grade.evidenceSha256 !== null) {
        const { subjectSha256 } = prepared
        const { evidenceSha256 } = grade
        await this.book.graded({ run, ...named, subjectSha256, evidenceSha256 })
      }
      return { ...named, ...grade }
    } catch (failure) {
      const code = toAppError(failure).code
      const reason = code === 'internal' ? storageReason(failure) : code
      return { ...named, ...silentGrade('unresolved', reason), ...this.identity }
    }
  }

  private async find(
    { item, extraction, body, subjectSha256 }: Prepared,
    gaveUp: Promise<void>,
  ): Promise<Grade> {
    if (body === null) return this.noAnswer(item, extraction?.outcome ?? 'fence_count')
    const subject = { task: item.task, body, bodySha256: subjectSha256 }
    const given = await Promise.race([this.executor.grade(subject, gaveUp), gaveUp.then(() => null)])
    if (given === null) {
      return { ...silentGrade('unresolved', 'deadline'), ...this.identity, bodySha256: subjectSha256 }
    }
    return { ...given.grade, queueMs: given.queueMs, ...(given.shared ? { cache: 'replayed' } : {}) }
  }

  private async noAnswer(item: GradeItem, reason: string): Promise<Grade> {
    const grade: Grade = {
      ...silentGrade('unresolved', reason),
      ...this.identity,
      status: 'no_answer',
      reward: 0,
    }
    const evidence: Evidence = {
      v: 1,
      task: item.task,
      body: null,
      completion: item.completion ?? '',
      grade,
      execution: null,
      output: [],
    }
    return { ...grade, evidenceSha256: await this.book.evidence.put(evidence) }
  }
}

const claimOf = (run: string, item: GradeItem) => `${run}\0${item.id}`

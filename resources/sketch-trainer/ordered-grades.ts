import { Grade, type GradeLine, isGraded } from '#shared/domain/grade.ts'
import type { EventBody } from '#shared/journal/events.ts'
import type { Graded, Recall } from './recall.ts'

export type GradeRequestItem = { id: string; task: string; completion: string }

/** The grades of one batch as they come in, in whatever order, and go out to the journal in the order of the batch. */
export class OrderedGrades {
  private readonly items: readonly GradeRequestItem[]
  private readonly recall: Recall
  private readonly toEvent: (item: GradeRequestItem, graded: Graded) => EventBody
  private readonly waiting = new Map<string, Graded>()
  private readonly silent = new Map<string, Graded>()

  constructor(
    items: readonly GradeRequestItem[],
    recall: Recall,
    toEvent: (item: GradeRequestItem, graded: Graded) => EventBody,
  ) {
    this.items = items
    this.recall = recall
    this.toEvent = toEvent
  }

  /** Items without a number in the journal. */
  missing(): GradeRequestItem[] {
    return this.items.filter(({ id }) => this.recall.gradeOf(id) === null)
  }

  /** Takes lines in; those that are next in order go to the journal at once. */
  take(lines: readonly GradeLine[]): void {
    for (const line of lines) {
      const graded = { grade: Grade.parse(line), extraction: line.extraction }
      if (isGraded(line.status)) this.waiting.set(line.id, graded)
      else this.silent.set(line.id, graded)
    }
    const ready: EventBody[] = []
    for (const item of this.missing()) {
      const graded = this.waiting.get(item.id)
      if (graded === undefined) break
      ready.push(this.toEvent(item, graded))
    }
    this.recall.emit(...ready)
  }

  /** At the end of a reply: everything known goes to the journal, and what is missing as the verifier's own silent grade, else as `silence`. */
  flush(silence: Grade): void {
    this.recall.emit(
      ...this.missing().map((item) =>
        this.toEvent(
          item,
          this.waiting.get(item.id) ?? this.silent.get(item.id) ?? { grade: silence, extraction: null },
        ),
      ),
    )
  }

  /** Why the verifier itself gave no number, where it said so: `status: reason` of the first such grade still without one. */
  silence(): string | null {
    for (const { id } of this.missing()) {
      const said = this.silent.get(id)
      if (said) return `${said.grade.status}${said.grade.reason === null ? '' : `: ${said.grade.reason}`}`
    }
    return null
  }
}

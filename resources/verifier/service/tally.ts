import { type GradeLine, type Status, statuses } from '#shared/domain/grade.ts'
import type { GraderStats } from '../graders/grader.ts'
import type { SlotState } from '../queue/slot-pool.ts'
import type { Executor } from './executor.ts'

/** Counts since the process started, for health and for Prometheus. */
export class Tally {
  private readonly byStatus = new Map<Status, number>()
  private replayed = 0
  private readonly executor: Executor

  constructor(executor: Executor) {
    this.executor = executor
  }

  count(line: GradeLine): void {
    this.byStatus.set(line.status, (this.byStatus.get(line.status) ?? 0) + 1)
    if (line.cache === 'replayed') this.replayed += 1
  }

  /** Lines answered, replays included. */
  get graded(): number {
    return [...this.byStatus.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Prometheus text, format 0.0.4. */
  prometheus(slots: SlotState[], queued: number, evidenceBytes: number, stats: GraderStats | null): string {
    const metric = (
      name: string,
      kind: 'counter' | 'gauge',
      help: string,
      rows: [labels: string, value: number][],
    ) =>
      [
        `# HELP ringside_verifier_${name} ${help}`,
        `# TYPE ringside_verifier_${name} ${kind}`,
        ...rows.map(([labels, value]) => `ringside_verifier_${name}${labels} ${value}`),
      ].join('\n')
    const grades = statuses.map((status): [string, number] => [
      `{status="${status}"}`,
      this.byStatus.get(status) ?? 0,
    ])
    const busy = slots.filter((slot) => slot.task !== null).length
    const warm = slots.filter((slot) => slot.cache === 'warm').length
    const graders =
      stats === null
        ? []
        : [
            metric('builds_total', 'counter', 'Builds begun.', [['', stats.builds]]),
            metric('test_runs_total', 'counter', 'Test processes begun.', [['', stats.testRuns]]),
            metric('lock_waits_total', 'counter', 'Waits for a lock on a build folder.', [
              ['', stats.lockWaits],
            ]),
            metric('slot_clones_total', 'counter', 'Slots filled by a copy of a built one.', [
              ['', stats.clones],
            ]),
            metric('scratch_bytes', 'gauge', 'Bytes of slots and build folders.', [
              ['', stats.diskBytes ?? Number.NaN],
            ]),
          ]
    return `${[
      ...graders,
      metric('grades_total', 'counter', 'Grades answered, replays included.', grades),
      metric('replays_total', 'counter', 'Grades answered without executing anything.', [
        ['', this.replayed],
      ]),
      metric('executions_total', 'counter', 'Bodies executed.', [['', this.executor.executed]]),
      metric('queue', 'gauge', 'Bodies waiting for a slot.', [['', queued]]),
      metric('slots', 'gauge', 'Slots.', [['', slots.length]]),
      metric('slots_busy', 'gauge', 'Slots with a body in hand.', [['', busy]]),
      metric('slots_warm', 'gauge', 'Slots whose caches are filled.', [['', warm]]),
      metric('evidence_bytes', 'gauge', 'Bytes of stored evidence.', [['', evidenceBytes]]),
    ].join('\n')}\n`
  }
}

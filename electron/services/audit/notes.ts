import type { RepairReport } from '#shared/ipc/contract.ts'
import type { ConsoleRecord } from '#shared/journal/events.ts'

type Of<T extends ConsoleRecord['type']> = Extract<ConsoleRecord, { type: T }>

export type MechanismNote = {
  named: Of<'mechanism.named'> | null
  explained: Of<'mechanism.explained'> | null
}
/** By the mechanism's id. */
export type MechanismNotes = ReadonlyMap<string, MechanismNote>

/** What the console's own records say of an audit beside grades and verdicts. */
export class AuditNotes {
  readonly mechanisms = new Map<string, MechanismNote>()
  readonly repairs: RepairReport[] = []

  constructor(records: readonly ConsoleRecord[]) {
    for (const record of records) this.add(record)
  }

  /** The last word on a mechanism holds. */
  add(record: ConsoleRecord): void {
    if (record.type === 'suite.repaired') this.repairs.push(record.report as RepairReport)
    else if (record.type === 'mechanism.named') {
      const takenBack = record.name === '' && record.description === ''
      this.change(record.mechanism, { named: takenBack ? null : record })
    } else if (record.type === 'mechanism.explained') this.change(record.mechanism, { explained: record })
  }

  private change(mechanism: string, change: Partial<MechanismNote>): void {
    const before = this.mechanisms.get(mechanism) ?? { named: null, explained: null }
    this.mechanisms.set(mechanism, { ...before, ...change })
  }
}

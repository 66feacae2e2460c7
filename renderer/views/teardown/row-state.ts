import type { TeardownReport, TeardownRow } from '#shared/domain/lease.ts'

export type RowState = 'planned' | 'kept' | 'nothing' | 'waiting' | 'releasing' | 'released' | 'left'

export type ShownRow = {
  row: TeardownRow
  state: RowState /** Proof of release, or why it is left. */
  says: string | null
}

type Telling = Record<string, 'releasing' | 'released' | 'left'>

/**
 * The plan's rows in its order, each with what has become of it: by the report once there is one, until then by what the core tells
 * while it works.
 */
export function shownRows(
  plan: TeardownRow[],
  report: TeardownReport | null,
  told: Telling,
  chosen: ReadonlySet<string>,
  running: boolean,
): ShownRow[] {
  return plan.map((row) => {
    const released = report?.released.find((one) => one.lease === row.lease)
    if (released) return { row, state: 'released', says: released.proof }
    const left = report?.left.find((one) => one.lease === row.lease)
    if (left) return { row, state: 'left', says: left.proof }
    if (row.action === 'keep') return { row, state: 'kept', says: row.proof }
    if (row.action === 'nothing_to_do') return { row, state: 'nothing', says: row.proof }
    if (!chosen.has(row.lease)) return { row, state: 'kept', says: 'kept by choice' }
    if (running) return { row, state: told[row.label] ?? 'waiting', says: row.proof }
    return { row, state: 'planned', says: row.proof }
  })
}

const words: Record<string, string> = { startedAt: 'started' }

/** `pid 4711 · started 2026-…`: the identity by which exactly this thing is meant. */
export function identityText(row: TeardownRow): string {
  const entries = Object.entries(row.identity ?? {})
  if (entries.length === 0) return 'not acquired'
  return entries
    .map(([name, value]) => (name === 'path' ? String(value) : `${words[name] ?? name} ${value}`))
    .join(' · ')
}
